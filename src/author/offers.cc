#include "author/offers.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <set>

#include "author/answer.h"
#include "author/files_beside.h"

namespace assay {
namespace {

// A file, or one of its lines.
std::string in_words(const Candidate& candidate) {
  std::string name = candidate.path.substr(candidate.path.rfind('/') + 1);
  return candidate.line == 0 ? name : fmt::format("{} line {}", name, candidate.line);
}

// A folder with this file is what `assay write`, or HipKittens' runner of KernelBench, leaves.
constexpr std::string_view kResults = "summary.json";
// In it a problem's best kernel: best_code.py, of whichever ending.
constexpr std::string_view kBest = "best_code.";

// "v2" before "v10".
bool is_before(const std::string& one, const std::string& other) {
  return ::strverscmp(one.c_str(), other.c_str()) < 0;
}

// Of answers, many in one file.
bool is_collection(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".jsonl");
}

}  // namespace

Result<std::vector<Candidate>> Offers::for_problem(const ProblemName& problem, bool lone,
                                                   Named named) {
  if (author_.type->own) return std::vector{*author_.type->own};
  ASSAY_ASSIGN(Folder * offers, folder_for(problem.level, problem.has_tests));
  ASSAY_ASSIGN(auto found, take(*offers, problem, problem.name, lone));
  if (found.empty() && !problem.shared_name.empty()) {
    ASSAY_ASSIGN(found, take(*offers, problem, problem.shared_name, false));
  }
  // A replay knows which it was, among other files.
  if (author_.only && author_.number > 1 && found.size() == 1) {
    found.front().number_there = *author_.only;
    found.front().number = author_.number;
  }
  if (lone && named == Named::or_not && !author_.only)
    ASSAY_TRY(take_others(*offers, problem, found));
  return found;
}

// A folder beside a suite's levels may as well be one of candidates, which lack this.
bool Offers::is_problem(const std::string& path) const {
  auto text = disk_.read(path);
  return text && (text->contains("get_inputs") || text->contains("get_dummy_input"));
}

// Whether a problem of this name lies where the given one does: in its folder, or in another level
// of its suite.
bool Offers::is_another_problem(const std::string& name, const ProblemName& problem) const {
  if (!problem.path.starts_with('/') || name == problem.name) return false;
  const std::string folder = problem.path.substr(0, problem.path.rfind('/'));
  if (is_problem(join_path(folder, name + ".py"))) return true;
  const std::string suite = folder.substr(0, folder.rfind('/'));
  auto levels = suite.empty() ? Result<std::vector<DirectoryEntry>>() : disk_.list(suite);
  return levels && std::ranges::any_of(*levels, [&](const DirectoryEntry& level) {
           return level.is_directory &&
                  is_problem(join_path(join_path(suite, level.name), name + ".py"));
         });
}

// Whether one that is not named as a lone problem is may be meant for it. What is numbered as
// another one is not; nor is, in a folder, what is named as another one, what is no candidate at
// all, and, where others are named for it, text.
bool Offers::may_be_for(const Offer& offer, const ProblemName& problem, bool some_are_named) const {
  if (offer.taken || offer.is_named || offer.candidate.line != 0 || offer.key.number ||
      offer.key.level_number)
    return false;
  if (offer.candidate.path == problem.path) return false;
  if (!author_.files.empty()) return true;
  // Which operation a name stands for is not asked here.
  if (!problem.path.starts_with('/') && some_are_named) return false;
  if (is_another_problem(offer.key.name, problem) || (offer.is_answer && some_are_named))
    return false;
  const Form& form = *offer.candidate.form;
  if (form.is_kernel() && form.build == Form::Build::none) return true;  // no text
  auto text = disk_.read(offer.candidate.path);
  return !text || text->contains(form.is_kernel() ? "assay_kernel" : "ModelNew") ||
         (offer.is_answer && text->contains("assay_kernel"));
}

Status Offers::take_others(Folder& offers, const ProblemName& problem,
                           std::vector<Candidate>& found) const {
  const bool some_are_named = !found.empty();
  std::vector<Offer*> others;
  for (Offer& offer : offers)
    if (may_be_for(offer, problem, some_are_named)) others.push_back(&offer);
  std::ranges::sort(others, is_before, [](const Offer* offer) { return offer->candidate.path; });
  std::set<int> numbers;
  for (const Candidate& each : found) numbers.insert(each.number);
  std::vector<Offer*> unnumbered;
  for (Offer* offer : others) {
    auto number = offer->has_number ? std::optional(offer->candidate.number)
                                    : trailing_number(offer->key.name);
    if (number && numbers.insert(*number).second)
      offer->candidate.number = *number;
    else
      unnumbered.push_back(offer);
  }
  int next = 1;
  for (Offer* offer : unnumbered) {
    while (!numbers.insert(next).second) ++next;
    offer->candidate.number = next;
  }
  for (Offer* offer : others) {
    ASSAY_TRY(hand_in(*offer));
    found.push_back(offer->candidate);
  }
  std::ranges::sort(found, {}, [](const Candidate& c) { return std::pair(c.number, c.path); });
  return {};
}

// It is for a problem: code is taken out of what has it among others.
Status Offers::hand_in(Offer& offer) const {
  offer.taken = true;
  if (!offer.is_answer) return {};
  ASSAY_ASSIGN(std::string text, disk_.read(offer.candidate.path));
  take_code_of_answer(text, offer.candidate);
  offer.is_answer = false;
  return {};
}

// Lines without a number come after those before them, whichever way each names its problem. Of
// several passes candidate 1 is of the first, 2 of the second. What a pass answers again comes
// behind those of all passes, and is a pass of nothing: only who gives lines numbers says that each
// is one more.
void Offers::count_lines(std::vector<Offer*>& meant) {
  std::map<std::string, int> counts;  // by file
  for (Offer* offer : meant) {
    if (offer->candidate.line == 0) continue;
    int& count = counts[offer->candidate.path];
    Candidate& candidate = offer->candidate;
    if (offer->is_counted)
      passes_[candidate.shown_path()] = {offer->pass + 1, offer->passes, count > 0};
    if (offer->passes > 1 && offer->is_counted) {
      candidate.number_there = ++count;
      candidate.number = 1 + offer->pass + (count - 1) * offer->passes;
      continue;
    }
    if (offer->is_counted) candidate.number = count + 1;
    count = std::max(count, candidate.number);
  }
}

// Whether it says that it is for a problem, which goes by this name as well.
bool Offers::is_named_for(const Offer& offer, const ProblemName& problem, const std::string& name) {
  const ProblemKey& key = offer.key;
  if (key.own_code.empty() && key.asked.empty())
    return key.matches(problem.suite, problem.level, name);
  return (!key.own_code.empty() && key.own_code == problem.own_code) ||
         (!key.asked.empty() && std::ranges::find(problem.asked, key.asked) != problem.asked.end());
}

// Those that are for a problem by this name of it.
Result<std::vector<Candidate>> Offers::take(Folder& offers, const ProblemName& problem,
                                            const std::string& name, bool lone) {
  bool is_lone_file = lone && offers.size() == 1 && offers.front().candidate.path == author_.path;
  std::vector<Offer*> meant;
  for (Offer& offer : offers) {
    bool any_name = is_lone_file && offer.candidate.line == 0;
    if (any_name || is_named_for(offer, problem, name)) meant.push_back(&offer);
  }
  count_lines(meant);
  std::vector<Candidate> found;
  for (Offer* offer : meant) {
    if (author_.only && offer->candidate.number != *author_.only) continue;
    ASSAY_TRY(hand_in(*offer));
    found.push_back(offer->candidate);
  }
  std::ranges::sort(found, {}, [](const Candidate& c) { return std::pair(c.number, c.path); });
  for (size_t i = 1; i < found.size(); ++i)
    if (found[i].number == found[i - 1].number)
      return error(
          Code::invalid_input,
          fmt::format("'{}' and '{}' are both candidate {} for '{}'", found[i - 1].shown_path(),
                      found[i].shown_path(), found[i].number, problem.name),
          found[i].line > 0 ? "give each line a number of its own: \"candidate\": 2 and so on"
                            : "give each a number of its own: NAME__s2, NAME__s3 and so on");
  return found;
}

PassOf Offers::pass_of(const Candidate& candidate) const {
  const auto known = passes_.find(candidate.shown_path());
  return known == passes_.end() ? PassOf{} : known->second;
}

bool Offers::are_taken() const {
  return std::ranges::any_of(folders_, [](const auto& folder) {
    return std::ranges::any_of(folder.second, &Offer::taken);
  });
}

std::vector<std::string> Offers::left() const {
  std::vector<std::string> names;
  for (const auto& [path, folder] : folders_)
    for (const Offer& offer : folder)
      if (!offer.taken && !author_.only) names.push_back(in_words(offer.candidate));
  std::ranges::sort(names);
  return names;
}

// Each is one pass over all problems.
Status Offers::read_passes(std::vector<std::string> paths, Folder& offers) {
  std::ranges::sort(paths, is_before);
  const int passes = static_cast<int>(paths.size());
  for (int pass = 0; pass < passes; ++pass) {
    const size_t first = offers.size();
    ASSAY_TRY(read_file(paths[static_cast<size_t>(pass)], offers, true));
    for (size_t i = first; i < offers.size(); ++i) {
      offers[i].pass = pass;
      offers[i].passes = passes;
    }
  }
  return {};
}

Result<Offers::Folder*> Offers::folder_for(const std::string& level, bool takes_passes) {
  std::string path = author_.path;
  const bool is_folder = author_.files.empty() && disk_.is_directory(path);
  if (std::string of_level = join_path(path, level);
      is_folder && !level.empty() && disk_.is_directory(of_level))
    path = of_level;
  auto known = folders_.find(path);
  if (known != folders_.end()) return &known->second;
  Folder offers;
  if (!author_.files.empty()) {
    std::vector<std::string> passes;
    for (const std::string& file : author_.files) {
      if (takes_passes && is_collection(file))
        passes.push_back(file);
      else
        ASSAY_TRY(read_file(file, offers));
    }
    ASSAY_TRY(read_passes(std::move(passes), offers));
    leave_out_sources(offers);
  } else if (!is_folder) {
    ASSAY_TRY(read_file(path, offers, takes_passes));
    if (offers.size() == 1 && offers.front().candidate.line == 0)
      offers.front().candidate.number = author_.number;
  } else {
    if (disk_.exists(join_path(path, kResults))) {
      ASSAY_TRY(read_best(path, {}, offers));
      return &folders_.emplace(path, std::move(offers)).first->second;
    }
    ASSAY_ASSIGN(auto entries, disk_.list(path));
    std::vector<std::string> passes;
    if (takes_passes)
      for (const DirectoryEntry& entry : entries)
        if (entry.is_file && is_collection(entry.name))
          passes.push_back(join_path(path, entry.name));
    if (!passes.empty()) {
      ASSAY_TRY(read_passes(std::move(passes), offers));
      std::erase_if(entries,
                    [](const DirectoryEntry& entry) { return entry.name.ends_with(".jsonl"); });
    }
    // What a run leaves beside kernels is JSON, too: a collection of them is given by itself.
    for (const DirectoryEntry& entry : entries)
      if (!entry.is_directory && !entry.name.ends_with(".json"))
        ASSAY_TRY(read_file(join_path(path, entry.name), offers));
    leave_out_sources(offers);
  }
  return &folders_.emplace(path, std::move(offers)).first->second;
}

// What is no candidate's file is passed over.
Status Offers::read_file(const std::string& path, Folder& offers, bool passes_odd) {
  auto name = read_file_name(path);
  if (!name) return {};
  if (name->content == Content::answers) return read_lines(path, offers, passes_odd);
  Candidate candidate{.form = name->form, .number = name->number, .path = path};
  offers.push_back({.key = std::move(name->key),
                    .candidate = std::move(candidate),
                    .is_answer = name->content == Content::answer,
                    .has_number = name->has_number});
  return {};
}

// The source of an extension that a candidate in Python loads is none itself: relu.cpp of relu.py.
// What exports a kernel stays one, whoever else names it.
void Offers::leave_out_sources(Folder& offers) const {
  auto is_native_source = [](const Offer& offer) {
    return offer.candidate.line == 0 && offer.candidate.form->is_kernel() &&
           offer.candidate.form->build != Form::Build::none;
  };
  if (std::ranges::none_of(offers, is_native_source)) return;
  std::set<std::string> sources;
  for (const Offer& offer : offers) {
    if (!offer.candidate.form->takes_files_beside() || offer.candidate.line != 0) continue;
    auto code = disk_.read(offer.candidate.path);
    auto beside = code && !offer.is_answer ? files_beside(disk_, offer.candidate, *code)
                                           : std::vector<NamedText>{};
    if (!beside) continue;  // it fails, and says so
    for (const NamedText& file : *beside)
      if (!file.text.contains("assay_kernel"))
        sources.insert(path_beside(offer.candidate.path, file.name));
  }
  std::erase_if(offers, [&](const Offer& offer) {
    return is_native_source(offer) && sources.contains(offer.candidate.path);
  });
}

// `below`: the folders that lead here. One is named as the problem; of several suites, levels,
// targets or models they are those of an id: suite, level, target, problem and model.
Status Offers::read_best(const std::string& folder, const std::vector<std::string>& below,
                         Folder& offers) const {
  constexpr size_t kOfId = 5;
  ASSAY_ASSIGN(auto entries, disk_.list(folder));
  for (const DirectoryEntry& entry : entries) {
    const std::string path = join_path(folder, entry.name);
    if (entry.is_directory) {
      std::vector<std::string> folders = below;
      folders.push_back(entry.name);
      if (folders.size() <= kOfId) ASSAY_TRY(read_best(path, folders, offers));
      continue;
    }
    auto name = read_file_name(path);
    const bool is_best = entry.name.starts_with(kBest) && name && name->content == Content::code;
    if (!is_best || (below.size() != 1 && below.size() != kOfId)) continue;
    ProblemKey key;
    key.name = below.size() == 1 ? below[0] : below[3];
    if (below.size() == kOfId && below[1] != "_") key.level = below[1];
    Candidate candidate{.form = name->form, .path = path};
    for (const Offer& offer : offers)
      if (offer.key.name == key.name && offer.key.level == key.level) ++candidate.number;
    offers.push_back({.key = std::move(key), .candidate = std::move(candidate), .is_named = true});
  }
  return {};
}

Status Offers::read_lines(const std::string& path, Folder& offers, bool passes_odd) {
  ASSAY_ASSIGN(std::string text, disk_.read(path));
  ASSAY_ASSIGN(auto entries, read_answers(text, path, passes_odd ? &odd_ : nullptr));
  for (auto& [place, answer] : entries) {
    answer.candidate.path = path;
    answer.candidate.line = place;
    offers.push_back({.key = std::move(answer.key),
                      .candidate = std::move(answer.candidate),
                      .is_counted = !answer.has_number});
  }
  return {};
}

}  // namespace assay
