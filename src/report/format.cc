#include "report/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>

#include "base/rows.h"

namespace assay {
namespace {

constexpr size_t kPieceBytes = 1 << 18;

// "L3", or "L3 (12 attempts), L1 (2 attempts)": a run may go on where the machine gives less. ""
// where no candidate ran.
std::string isolation_in_words(const std::vector<Attempt>& attempts) {
  std::map<std::string, size_t, std::greater<>> levels;
  for (const Attempt& attempt : attempts)
    if (!attempt.isolation.empty()) ++levels[attempt.isolation];
  if (levels.size() == 1) return levels.begin()->first;
  std::vector<std::string> words;
  for (const auto& [level, count] : levels)
    words.push_back(fmt::format("{} ({} attempt{})", level, count, count == 1 ? "" : "s"));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

void ReportSink::begin_file(const std::string& name) {
  flush();
  open(name);
}

void ReportSink::write(std::string_view text) {
  piece_ += text;
  if (piece_.size() >= kPieceBytes) flush();
}

void ReportSink::flush() {
  if (!piece_.empty()) take(piece_);
  piece_.clear();
}

std::span<const ReportFormat> report_formats() {
  static const std::vector<ReportFormat> table = with_added_rows<ReportFormat>(
      {{"terminal", "what passed where, why the rest did not, and those attempts", false, false,
        render_terminal},
       {"md", "Markdown, as written to RUN/report.md", false, false, render_markdown},
       {"json", "everything that is stored, as written to RUN/report.json", true, false,
        render_json},
       {"jsonl", "the attempts of the JSON, one on each line", true, false, render_json_lines},
       {"csv", "one row per attempt, for spreadsheets", false, false, render_csv},
       {"junit", "JUnit's XML, for CI servers", false, false, render_junit},
       {"classic", "iree_compile.log, iree_compile_report.json and .md, in a folder", false, true,
        render_classic},
       {"kernelbench", "eval_results.json, as KernelBench writes it, in a folder", false, true,
        render_kernelbench}});
  return table;
}

const ReportFormat* find_report_format(std::string_view name) {
  return find_row(report_formats(), name);
}

std::string verdict_in_words(const Attempt& attempt) {
  std::string verdict(to_word(kVerdictWords, attempt.verdict));
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) {
    for (const StageRecord& stage : attempt.stages)
      if (stage.stage == Stage::smoke)
        verdict += stage.status == StageStatus::ok ? " (smoke)" : " (smoke: not judged)";
    return verdict;
  }
  std::string stage(to_word(kStageWords, deciding->stage));
  if (!deciding->rule.empty()) return fmt::format("{} ({}: {})", verdict, stage, deciding->rule);
  if (!deciding->failure) return fmt::format("{} ({})", verdict, stage);
  return fmt::format("{} ({}: {})", verdict, stage,
                     to_word(kFailureClassWords, *deciding->failure));
}

std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run,
                                                            const std::vector<Attempt>& attempts) {
  std::vector<std::pair<std::string, std::string>> lines{{"assay", run.assay_version},
                                                         {"created", run.created}};
  if (run.machine.is_object())
    for (const auto& [name, value] : run.machine.items())
      if (!value.is_null())
        lines.emplace_back(name, value.is_string() ? value.get<std::string>() : dump_json(value));
  if (std::string levels = isolation_in_words(attempts); !levels.empty())
    lines.emplace_back("isolation", std::move(levels));
  return lines;
}

}  // namespace assay
