#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "author/answer.h"
#include "base/escape.h"
#include "search/answer_files.h"
#include "search/code_tokens.h"
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

// Whether code in this form is what was asked for. Triton is Python, and C++ may be answered as C.
bool fits(const Form& form, const std::string& language) {
  if (language == "triton" || language == "python") return form.is_model();
  const Form* wanted = form_of_language(language);
  return &form == wanted || (wanted && wanted->is_built_here() && form.is_built_here());
}

}  // namespace

std::vector<Search> make_searches(const WriteRequest& request, const Disk& disk,
                                  std::list<Target>& kept) {
  std::vector<Search> searches;
  const Request& run = request.run;
  // Files lie under the problem's name where no two searches have the same.
  const bool is_single = run.targets.size() == 1 && request.writers.size() == 1 &&
                         std::ranges::all_of(run.workloads, [&](const Workload& each) {
                           return each.suite == run.workloads.front().suite &&
                                  each.level == run.workloads.front().level;
                         });
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
        search.folder = join_path(run.folder, is_single ? escape_component(workload.name) : id);
        if (loaded)
          search.source = loaded->python;
        else
          search.unable = loaded.error().message;
        for (const Author& author : run.baselines)
          search.baselines.push_back({author.name, *author.type->own});
        searches.push_back(std::move(search));
      }
    }
  }
  return searches;
}

std::string Search::code_path(const SearchNode& node) const {
  auto ending = endings.find(node.number);
  if (ending == endings.end()) return "";
  return join_path(folder, code_file(tree, node, ending->second));
}

int Search::first_with_code(const SearchNode& node, const Candidate& candidate) {
  endings[node.number] = candidate.form->endings.front();
  return first_with
      .emplace(hash_of_tokens(*candidate.code, candidate.form->is_model()), node.number)
      .first->second;
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

std::string shown_code(const SearchNode& node) {
  if (!node.answer) return "";
  Candidate candidate;
  take_code_of_answer(node.answer->text, candidate);
  return shortened(candidate.code ? *candidate.code : node.answer->text);
}

}  // namespace assay
