#include "author/offers.h"

#include <fmt/format.h>

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

}  // namespace

Result<std::vector<Candidate>> Offers::for_problem(const ProblemName& problem, bool lone) {
  if (author_.type->own) return std::vector{*author_.type->own};
  ASSAY_ASSIGN(Folder * offers, folder_for(problem.level));
  ASSAY_ASSIGN(auto found, take(*offers, problem, problem.name, lone));
  if (!found.empty() || problem.shared_name.empty()) return found;
  return take(*offers, problem, problem.shared_name, false);
}

// Lines without a number come after those before them, whichever way each names its problem.
void Offers::count_lines(std::vector<Offer*>& meant) {
  std::map<std::string, int> counts;  // by file
  for (Offer* offer : meant) {
    if (offer->candidate.line == 0) continue;
    int& count = counts[offer->candidate.path];
    if (offer->is_counted) offer->candidate.number = count + 1;
    count = std::max(count, offer->candidate.number);
  }
}

// Those that are for a problem by this name of it.
Result<std::vector<Candidate>> Offers::take(Folder& offers, const ProblemName& problem,
                                            const std::string& name, bool lone) const {
  bool is_lone_file = lone && offers.size() == 1 && offers.front().candidate.path == author_.path;
  std::vector<Offer*> meant;
  for (Offer& offer : offers) {
    bool any_name = is_lone_file && offer.candidate.line == 0;
    if (any_name || offer.key.matches(problem.suite, problem.level, name)) meant.push_back(&offer);
  }
  count_lines(meant);
  std::vector<Candidate> found;
  for (Offer* offer : meant) {
    if (author_.only && offer->candidate.number != *author_.only) continue;
    offer->taken = true;
    if (offer->is_answer) {
      ASSAY_ASSIGN(std::string text, disk_.read(offer->candidate.path));
      take_code_of_answer(text, offer->candidate);
      offer->is_answer = false;
    }
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

Result<Offers::Folder*> Offers::folder_for(const std::string& level) {
  std::string path = author_.path;
  bool is_folder = disk_.is_directory(path);
  if (std::string of_level = join_path(path, level);
      is_folder && !level.empty() && disk_.is_directory(of_level))
    path = of_level;
  auto known = folders_.find(path);
  if (known != folders_.end()) return &known->second;
  Folder offers;
  if (!is_folder) {
    ASSAY_TRY(read_file(path, offers));
    if (offers.size() == 1 && offers.front().candidate.line == 0)
      offers.front().candidate.number = author_.number;
  } else {
    ASSAY_ASSIGN(auto entries, disk_.list(path));
    for (const DirectoryEntry& entry : entries)
      if (!entry.is_directory) ASSAY_TRY(read_file(join_path(path, entry.name), offers));
    leave_out_sources(offers);
  }
  return &folders_.emplace(path, std::move(offers)).first->second;
}

// What is no candidate's file is passed over.
Status Offers::read_file(const std::string& path, Folder& offers) const {
  auto name = read_file_name(path);
  if (!name) return {};
  if (name->content == Content::answers) return read_lines(path, offers);
  Candidate candidate{.form = name->form, .number = name->number, .path = path};
  offers.push_back({std::move(name->key), std::move(candidate), name->content == Content::answer});
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

Status Offers::read_lines(const std::string& path, Folder& offers) const {
  ASSAY_ASSIGN(std::string text, disk_.read(path));
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    std::string_view one = take_line(rest);
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ASSAY_ASSIGN(AnswerLine answer, read_answer_line(one, fmt::format("{}, line {}", path, line)));
    answer.candidate.path = path;
    answer.candidate.line = line;
    offers.push_back({.key = std::move(answer.key),
                      .candidate = std::move(answer.candidate),
                      .is_counted = !answer.has_number});
  }
  return {};
}

}  // namespace assay
