#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/answer.h"
#include "base/escape.h"
#include "search/answer_files.h"
#include "search/code_tokens.h"
#include "search/verdicts.h"
#include "session/plan.h"
#include "workload/source.h"

namespace assay {
namespace {

// Twice what models answer without a word of the user's. Whoever answers more is not to be told all
// of it again: what is asked next would be refused.
constexpr size_t kMostShownBytes = 128 << 10;

// Its beginning and its end.
std::string shortened(const std::string& text) {
  if (text.size() <= kMostShownBytes) return text;
  const size_t half = kMostShownBytes / 2;
  return utf8(fmt::format("{}\n[{} bytes are left out here]\n{}", text.substr(0, half),
                          text.size() - 2 * half, text.substr(text.size() - half)));
}

std::string problem_id(const Workload& workload, const std::string& author, const Target& target) {
  Attempt attempt;
  attempt.suite = workload.suite;
  attempt.level = workload.level;
  attempt.workload = workload.name;
  attempt.author = author;
  attempt.target = target.name;
  return attempt_id(attempt, true);
}

// Null: it has not begun.
const Tree* tree_in(const SearchRecord& record, const std::string& id) {
  for (const Tree& tree : record.trees)
    if (tree.problem() == id && !tree.nodes().empty()) return &tree;
  return nullptr;
}

// That what is known of it is of the problem as it is now.
Status check_problem(const Search& search, const SearchPlace& place) {
  if (search.identity.empty() || place.problem_sha256.empty() ||
      search.identity == place.problem_sha256)
    return {};
  return error(
      Code::refused,
      fmt::format("'{}' has changed since this run was begun: its answers and verdicts are "
                  "for what it was",
                  search.workload->path),
      "name another folder with --out");
}

// That it began with the kernel that --from names now, if one is named.
Status check_start(const Tree& tree, const WriteRequest& request, const Disk& disk) {
  if (request.from.empty()) return {};
  ASSAY_ASSIGN(const std::string code, disk.read(request.from));
  const SearchNode now = node_from_code(request.from, request.language, code, "");
  const SearchNode& first = tree.nodes().front();
  if (first.is_start() && first.answer && first.model == now.model &&
      first.answer->text == now.answer->text)
    return {};
  return error(Code::refused,
               fmt::format("--from {}: the search of {} was begun {}", request.from, tree.problem(),
                           first.is_start() ? "with another kernel" : "without one"),
               "leave out --from to go on, or name another folder with --out");
}

// Says where each has its files: under the problem's name, where no two of the run have the same.
// One that has begun keeps its place.
void place(std::vector<Search>& searches, const std::string& folder, SearchPlaces& places) {
  std::vector<std::string> ids;
  for (const auto& [id, place] : places) ids.push_back(id);
  for (const Search& search : searches) ids.push_back(search.tree.problem());
  const bool is_flat = have_one_place(ids);
  for (Search& search : searches) {
    const std::string& id = search.tree.problem();
    SearchPlace& its = places.try_emplace(id, SearchPlace{.is_flat = is_flat}).first->second;
    if (!search.identity.empty()) its.problem_sha256 = search.identity;
    search.folder = join_path(folder, folder_of_search(places, id));
  }
}

// Whether code in this form is what was asked for. Triton is Python, and C++ may be answered as C.
bool fits(const Form& form, const std::string& language) {
  if (language == "triton" || language == "python") return form.is_model();
  const Form* wanted = form_of_language(language);
  return &form == wanted || (wanted && wanted->is_built_here() && form.is_built_here());
}

}  // namespace

const SearchNode* Writer::recorded_node(const Tree& tree, const SearchNode& node) const {
  if (!recorded) return nullptr;
  auto found = recorded->nodes.find(tree.key(node));
  return found == recorded->nodes.end() ? nullptr : &found->second;
}

Result<std::vector<FirstPrompt>> first_prompts(const WriteRequest& request, const Disk& disk,
                                               const TargetPrompts& prompts) {
  std::vector<FirstPrompt> found;
  const std::vector<Ask> first = request.strategy->asks(Tree(""), request.terms);
  const int idea = first.empty() ? 0 : first.front().idea;
  for (const Workload& workload : request.run.workloads) {
    ASSAY_ASSIGN(LoadedWorkload loaded, load_workload(disk, workload));
    for (const Target& target : request.run.targets) {
      PromptTask task{.problem = workload.name, .source = loaded.text()};
      ASSAY_ASSIGN(task.idea, prompts.of(target).idea(idea, task.problem, task.source));
      ASSAY_ASSIGN(Prompt prompt, prompts.of(target).write(task));
      found.push_back({workload.path, target.name, std::move(prompt)});
    }
  }
  return found;
}

Result<std::vector<Search>> make_searches(const WriteRequest& request, const Disk& disk,
                                          std::list<Target>& kept, SearchRecord& before) {
  std::vector<Search> searches;
  const Request& run = request.run;
  for (const Workload& workload : run.workloads) {
    auto loaded = load_workload(disk, workload);
    for (const Target& asked : run.targets) {
      for (const Writer& writer : request.writers) {
        Search search;
        search.workload = &workload;
        search.target = &retyped(asked, workload.precision, kept);
        search.writer = &writer;
        search.author = author_of_code(writer.model.author);
        const std::string id = problem_id(workload, writer.model.author, asked);
        search.tree = Tree(id);
        if (loaded) {
          search.source = loaded->python;
          search.identity = hash_of(*loaded);
        } else {
          search.unable = loaded.error().message;
        }
        for (const Author& author : run.baselines)
          search.baselines.push_back({author.name, *author.type->own});
        if (const Tree* begun = tree_in(before, id)) {
          ASSAY_TRY(check_problem(search, before.places[id]));
          ASSAY_TRY(check_start(*begun, request, disk));
        }
        searches.push_back(std::move(search));
      }
    }
  }
  place(searches, run.folder, before.places);
  return searches;
}

Status same_work(const WriteRequest& request, const Disk& disk, SearchRecord before) {
  std::list<Target> kept;
  if (auto made = make_searches(request, disk, kept, before); !made)
    return std::unexpected(made.error());
  return {};
}

int Search::next_attempt(const std::vector<Ask>& asks) const {
  if (!unasked.empty()) return tree.node(*unasked.begin()).attempt;
  return asks.empty() ? 0 : asks.front().attempt;
}

bool Search::lacks_verdict(SearchNode& node, bool is_reached) {
  const bool is_in_vain = node.answer && has_not_come(*node.answer);
  if (is_in_vain && is_reached) {
    go_without(node);
    return false;
  }
  if (node.answer && !is_in_vain) return !node.verdict;
  node.forget_answer();  // an older assay may have kept a verdict of it
  unasked.insert(node.number);
  return false;
}

void Search::forget_plans() {
  tree.cut_after(last_asked);
  unasked.erase(unasked.upper_bound(last_asked), unasked.end());
}

bool Search::is_out_of_answers() const {
  int last = 0;
  for (const SearchNode& node : tree.nodes()) last = std::max(last, node.attempt);
  return !unanswered.empty() && std::ranges::all_of(tree.nodes(), [&](const SearchNode& node) {
    return node.attempt != last || unanswered.contains(node.number);
  });
}

std::string Search::why_unanswered() const {
  if (unanswered.empty()) return "";
  const SearchNode& last = tree.node(*unanswered.rbegin());
  return last.answer ? last.answer->why : "";
}

std::string Search::in_vain() const {
  if (unanswered.empty()) return "";
  return fmt::format("; {} of {} answers did not come: {}", unanswered.size(), last_asked,
                     why_unanswered());
}

void Search::go_without(SearchNode& node) {
  unanswered.insert(node.number);
  node.verdict = verdict_without_code(*node.answer, node.answer->why);
}

void Search::name_code(const std::string& language) {
  for (const SearchNode& node : tree.nodes()) {
    if (!node.answer) continue;
    const Candidate candidate = code_in(*node.answer, language);
    if (candidate.why_none.empty()) first_with_code(node, candidate);
  }
}

std::string Search::code_path(const SearchNode& node) const {
  auto ending = endings.find(node.number);
  if (ending == endings.end()) return "";
  return join_path(folder, code_file(tree, node, ending->second));
}

int Search::first_with_code(const SearchNode& node, const Candidate& candidate) {
  endings[node.number] = candidate.form->endings.front();
  std::string hash = node.answer->code_hash;
  if (hash.empty()) hash = hash_of_tokens(*candidate.code, candidate.form->is_model());
  return first_with.emplace(std::move(hash), node.number).first->second;
}

SearchNode node_from_code(const std::string& path, const std::string& language,
                          const std::string& code, const std::string& finished) {
  SearchNode node;
  node.attempt = 0;
  node.model = "file:" + path;
  const std::string fence = language == "triton" ? "python" : language;
  node.answer = NodeAnswer{.text = fmt::format("```{}\n{}\n```\n", fence, code),
                           .model = node.model,
                           .finished = finished};
  node.answer->code_hash = hash_of_code(*node.answer, language);
  return node;
}

Candidate code_in(const NodeAnswer& answer, const std::string& language) {
  Candidate candidate;
  if (answer.end != AnswerEnd::complete) {
    candidate.why_none =
        answer.why.empty() ? std::string(to_word(kAnswerEndWords, answer.end)) : answer.why;
    return candidate;
  }
  take_code_of_answer(answer.text, candidate);
  if (candidate.why_none.empty() && !fits(*candidate.form, language))
    candidate.why_none =
        fmt::format("its code is {}, and {} was asked for", candidate.form->title, language);
  return candidate;
}

std::string hash_of_code(const NodeAnswer& answer, const std::string& language) {
  const Candidate candidate = code_in(answer, language);
  return candidate.why_none.empty() ? hash_of_tokens(*candidate.code, candidate.form->is_model())
                                    : "";
}

std::string shown_code(const SearchNode& node) {
  if (!node.answer) return "";
  Candidate candidate;
  take_code_of_answer(node.answer->text, candidate);
  return shortened(candidate.code ? *candidate.code : node.answer->text);
}

}  // namespace assay
