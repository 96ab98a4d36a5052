#include "search/answer_files.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "measure/counter.h"
#include "measure/rocprof_output.h"
#include "model/evaluation.h"
#include "search/search.h"

namespace assay {
namespace {

std::string name_of(const char* what, const Tree& tree, const SearchNode& node,
                    const std::string& ending) {
  return fmt::format("{}_{}{}{}", what, node.attempt, file_suffix(tree, node), ending);
}

// "": the node has no code.
std::string ending_of(const Search& search, const SearchNode& node) {
  auto ending = search.endings.find(node.number);
  return ending == search.endings.end() ? "" : ending->second;
}

// Of the best answer so far: of those with a verdict, or else the first that has code, or else that
// came at all. Null: none has.
const SearchNode* foremost(const Search& search, int attempt, const SearchTerms& terms) {
  std::vector<const SearchNode*> judged;
  const SearchNode *with_code = nullptr, *answered = nullptr;
  for (const SearchNode& node : search.tree.nodes()) {
    if (node.attempt != attempt || !node.answer) continue;
    if (node.known()) judged.push_back(&node);
    if (!with_code && !ending_of(search, node).empty()) with_code = &node;
    if (!answered) answered = &node;
  }
  if (const SearchNode* found = best(judged, terms)) return found;
  return with_code ? with_code : answered;
}

// Copies files of the folder; what is not there to be copied goes from where it would be.
Status copy_files(Disk& disk, const std::string& folder,
                  const std::vector<std::pair<std::string, std::string>>& copies) {
  for (const auto& [from, to] : copies) {
    const std::string target = join_path(folder, to);
    if (!from.empty() && disk.exists(join_path(folder, from))) {
      ASSAY_ASSIGN(std::string bytes, disk.read(join_path(folder, from)));
      ASSAY_TRY(disk.write(target, bytes));
    } else if (disk.exists(target)) {
      ASSAY_TRY(disk.remove_all(target));
    }
  }
  return {};
}

// The files of that name with another ending: code_2.py beside a code_2.c that is the better one.
Status remove_others(Disk& disk, const std::string& folder, const std::string& stem,
                     const std::string& ending) {
  ASSAY_ASSIGN(auto there, disk.list(folder));
  for (const DirectoryEntry& entry : there)
    if (entry.name.starts_with(stem + ".") && entry.name != stem + ending)
      ASSAY_TRY(disk.remove_all(join_path(folder, entry.name)));
  return {};
}

Status copy_node(Disk& disk, const Search& search, const SearchNode& node,
                 const std::string& prompt, const std::string& response, const std::string& code,
                 const std::string& result) {
  const std::string ending = ending_of(search, node);
  ASSAY_TRY(remove_others(disk, search.folder, code, ending));
  const Tree& tree = search.tree;
  std::vector<std::pair<std::string, std::string>> copies{
      {name_of("prompt", tree, node, ".txt"), prompt},
      {name_of("result", tree, node, ".json"), result}};
  if (!response.empty()) copies.emplace_back(name_of("response", tree, node, ".txt"), response);
  if (!ending.empty()) copies.emplace_back(code_file(tree, node, ending), code + ending);
  return copy_files(disk, search.folder, copies);
}

}  // namespace

std::string code_file(const Tree& tree, const SearchNode& node, const std::string& ending) {
  return name_of("code", tree, node, ending);
}

Status write_prompt(Disk& disk, const Search& search, const SearchNode& node) {
  const std::string text = node.system.empty() ? node.prompt : node.system + "\n\n" + node.prompt;
  return disk.write(join_path(search.folder, name_of("prompt", search.tree, node, ".txt")), text);
}

Status write_response(Disk& disk, const Search& search, const SearchNode& node) {
  return disk.write(join_path(search.folder, name_of("response", search.tree, node, ".txt")),
                    node.answer->text);
}

Status write_result(Disk& disk, const Search& search, const SearchNode& node,
                    const Attempt* attempt, const std::string& language) {
  const NodeVerdict& verdict = *node.known();
  const Evaluation evaluation =
      attempt ? evaluation_of(*attempt) : Evaluation{.error = verdict.reason};
  Json result{{"problem", search.workload->name},
              {"code_path", or_null(search.code_path(node))},
              {"backend", language}};
  result.update(to_json(evaluation));
  result["perf_analysis"] = evaluation.is_right ? or_null(verdict.feedback) : Json(nullptr);
  result["rocprof_metrics"] =
      attempt ? rocprof_metrics(counted_by(kRocprof, *attempt)) : Json(nullptr);
  result.update(Json{{"schema", 1},
                     {"path", search.workload->path},
                     {"node", node.number},
                     {"step", to_word(kSearchStepWords, node.step)},
                     {"parents", node.parents},
                     {"verdict", to_json(verdict)},
                     {"is_confirmed", node.is_confirmed()}});
  return disk.write(join_path(search.folder, name_of("result", search.tree, node, ".json")),
                    dump_json(result, 2) + "\n");
}

Status write_attempt_files(Disk& disk, const Search& search, int attempt,
                           const SearchTerms& terms) {
  const SearchNode* node = foremost(search, attempt, terms);
  if (!node) return {};
  return copy_node(disk, search, *node, fmt::format("prompt_{}.txt", attempt),
                   fmt::format("response_{}.txt", attempt), fmt::format("code_{}", attempt),
                   fmt::format("result_{}.json", attempt));
}

Status write_best(Disk& disk, const Search& search, const SearchTerms& terms) {
  const SearchNode* found = best(search.tree, terms);
  if (!found || !counts(*found->known(), terms)) {
    // What a quick look accepted may have been refused since.
    ASSAY_TRY(remove_others(disk, search.folder, "best_code", ""));
    return copy_files(disk, search.folder, {{"", "best_prompt.txt"}, {"", "best_result.json"}});
  }
  const int same = found->verdict->same_as;
  const SearchNode& first = same == 0 ? *found : search.tree.node(same);
  return copy_node(disk, search, first, "best_prompt.txt", "", "best_code", "best_result.json");
}

}  // namespace assay
