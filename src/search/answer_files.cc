#include "search/answer_files.h"

#include <fmt/format.h>

namespace assay {
namespace {

std::string name_of(const char* what, const Tree& tree, const SearchNode& node,
                    const std::string& ending) {
  return fmt::format("{}_{}{}{}", what, node.attempt, file_suffix(tree, node), ending);
}

// Milliseconds, as the runner has its times; null where there is none.
Json ms(double ns) { return ns > 0 ? Json(ns / 1e6) : Json(nullptr); }

}  // namespace

std::string file_suffix(const Tree& tree, const SearchNode& node) {
  int repairs = 0;
  for (const SearchNode* each = &node;
       each->step == SearchStep::repair && !each->parents.empty();) {
    const SearchNode& parent = tree.node(each->parents.front());
    if (parent.attempt != node.attempt || parent.sample != node.sample) break;
    ++repairs;
    each = &parent;
  }
  return fmt::format("_s{}", node.sample) + (repairs > 0 ? fmt::format("_r{}", repairs) : "");
}

std::string code_file(const Tree& tree, const SearchNode& node, const std::string& ending) {
  return name_of("code", tree, node, ending);
}

Status write_prompt(Disk& disk, const std::string& folder, const Tree& tree,
                    const SearchNode& node) {
  const std::string text = node.system.empty() ? node.prompt : node.system + "\n\n" + node.prompt;
  return disk.write(join_path(folder, name_of("prompt", tree, node, ".txt")), text);
}

Status write_response(Disk& disk, const std::string& folder, const Tree& tree,
                      const SearchNode& node) {
  return disk.write(join_path(folder, name_of("response", tree, node, ".txt")), node.answer->text);
}

Status write_result(Disk& disk, const std::string& folder, const Tree& tree, const SearchNode& node,
                    const Json& result) {
  return disk.write(join_path(folder, name_of("result", tree, node, ".json")),
                    dump_json(result, 2) + "\n");
}

Json result_of(const SearchNode& node, const Attempt* attempt, const std::string& code_path) {
  const NodeVerdict& verdict = *node.known();
  const bool is_right = verdict.verdict == Verdict::accepted;
  bool is_built = is_right;
  std::string error;
  Json reference_ns = 0.0;
  if (attempt) {
    for (const StageRecord& stage : attempt->stages) {
      // A build is the first part of verify.
      if (stage.stage == Stage::verify) is_built = stage.failure != FailureClass::build;
      if (stage.status != StageStatus::ok && error.empty()) error = stage.error;
    }
    if (attempt->timing && !attempt->timing->speedups.empty()) {
      const Speedup& first = attempt->timing->speedups.front();
      reference_ns = by(attempt->timing->metric, first.cpu, first.wall).median_ns;
    }
  }
  if (error.empty() && !is_right) error = verdict.reason;
  return {{"problem", attempt ? Json(attempt->path) : Json(nullptr)},
          {"code_path", or_null(code_path)},
          {"compile_success", is_built},
          {"accuracy_pass", is_right},
          {"max_diff", nullptr},
          {"mean_diff", nullptr},
          {"has_nan", nullptr},
          {"has_inf", nullptr},
          {"ref_time_ms", ms(reference_ns.get<double>())},
          {"new_time_ms", ms(verdict.time_ns)},
          {"speedup", verdict.outcome ? Json(verdict.ratio) : Json(nullptr)},
          {"perf_analysis", is_right ? or_null(verdict.feedback) : Json(nullptr)},
          {"error", or_null(error)},
          {"schema", 1},
          {"node", node.number},
          {"step", to_word(kSearchStepWords, node.step)},
          {"parents", node.parents},
          {"verdict", to_json(verdict)},
          {"is_confirmed", node.confirmed.has_value()}};
}

Status write_best(Disk& disk, const std::string& folder, const Tree& tree, const SearchNode& node,
                  const std::string& ending) {
  ASSAY_ASSIGN(auto there, disk.list(folder));
  const std::string code = "best_code" + ending;
  for (const DirectoryEntry& entry : there)
    if (entry.name.starts_with("best_code.") && entry.name != code)
      ASSAY_TRY(disk.remove_all(join_path(folder, entry.name)));
  const std::pair<std::string, std::string> copies[] = {
      {name_of("prompt", tree, node, ".txt"), "best_prompt.txt"},
      {code_file(tree, node, ending), code},
      {name_of("result", tree, node, ".json"), "best_result.json"}};
  for (const auto& [from, to] : copies) {
    if (!disk.exists(join_path(folder, from))) continue;
    ASSAY_ASSIGN(std::string bytes, disk.read(join_path(folder, from)));
    ASSAY_TRY(disk.write(join_path(folder, to), bytes));
  }
  return {};
}

}  // namespace assay
