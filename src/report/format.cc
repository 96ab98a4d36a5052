#include "report/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>

#include "base/rows.h"
#include "verify/decide.h"

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

// " for finite inputs", of one that breaks a rule that a policy has made a label.
std::string labels_in_words(const Attempt& attempt) {
  std::string words;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::verify || !stage.evidence.is_object()) continue;
    for (const Json& label : stage.evidence.value("labelled", Json::array()))
      for (const MayBeLabel& each : kMayBeLabels)
        if (label == to_word(kRuleWords, each.rule)) words += fmt::format(" {}", each.accepted);
  }
  return words;
}

template <class Member>
std::vector<Format> those_with(Member member) {
  std::vector<Format> table(formats().begin(), formats().end());
  std::erase_if(table, [&](const Format& format) { return !(format.*member); });
  return table;
}

}  // namespace

void ReportSink::begin_file(const std::string& name) {
  flush();
  if (status_) open(name);
}

void ReportSink::write(std::string_view text) {
  piece_ += text;
  if (piece_.size() >= kPieceBytes) flush();
}

void ReportSink::fail(Error error) {
  if (status_) status_ = std::unexpected(std::move(error));
}

void ReportSink::flush() {
  if (!piece_.empty() && status_) take(piece_);
  piece_.clear();
}

Status ReportSink::finish() {
  flush();
  close();
  return std::exchange(status_, {});
}

std::span<const Format> formats() {
  static const std::vector<Format> table = with_added_rows<Format>({
      {.name = "terminal",
       .title = "text for a terminal",
       .ending = ".txt",
       .report = render_terminal,
       .comparison = render_terminal_comparison,
       .league = render_terminal_league},
      {.name = "md",
       .title = "Markdown",
       .ending = ".md",
       .report = render_markdown,
       .comparison = render_markdown_comparison,
       .league = render_markdown_league,
       .in_run = true},
      {.name = "json",
       .title = "all there is, as JSON",
       .ending = ".json",
       .report = render_json,
       .comparison = render_json_comparison,
       .league = render_json_league,
       .everything = true,
       .in_run = true},
      {.name = "jsonl",
       .title = "the attempts of the JSON, one on each line",
       .ending = ".jsonl",
       .report = render_json_lines,
       .everything = true},
      {.name = "csv",
       .title = "one row per attempt, for spreadsheets",
       .ending = ".csv",
       .report = render_csv},
      {.name = "junit",
       .title = "JUnit's XML, for CI servers",
       .ending = ".xml",
       .report = render_junit,
       .comparison = render_junit_comparison},
      {.name = "html",
       .title = "a page to look at in a browser, whole in one file",
       .ending = ".html",
       .report = render_html,
       .comparison = render_html_comparison,
       .league = render_html_league,
       .everything = true},
      {.name = "svg",
       .title = "a picture for papers and READMEs: --chart",
       .ending = ".svg",
       .report = render_svg},
      {.name = "summary",
       .title = "short Markdown for the summary of a CI job",
       .ending = ".summary.md",
       .report = render_job_summary,
       .comparison = render_job_summary_comparison},
      {.name = "sarif",
       .title = "SARIF, for code review: what is wrong, at its lines",
       .ending = ".sarif",
       .report = render_sarif,
       .everything = true},
      {.name = "bmf",
       .title = "Bencher Metric Format: times, speed-ups and sizes, for charts over commits",
       .ending = ".bmf.json",
       .report = render_bmf},
      {.name = "torch-v3",
       .title = "records of PyTorch's benchmark database, version 3",
       .ending = ".torch-v3.json",
       .report = render_torch_v3},
      {.name = "classic",
       .title = "iree_compile.log, iree_compile_report.json and .md",
       .ending = "",
       .report = render_classic,
       .files = classic_files},
      {.name = "profiler",
       .title = "the CSV of IREE's dispatch profiler",
       .ending = ".csv",
       .report = render_profiler,
       .takes_tags = true,
       .may_be_appended = true},
      {.name = "profiler-text",
       .title = "what IREE's dispatch profiler prints of each dispatch",
       .ending = ".txt",
       .report = render_profiler_text},
      {.name = "cutlass",
       .title = "the CSV of CUTLASS's profiler",
       .ending = ".csv",
       .report = render_cutlass,
       .takes_tags = true,
       .may_be_appended = true},
      {.name = "google-benchmark",
       .title = "google-benchmark's JSON, of what was profiled",
       .ending = ".json",
       .report = render_google_benchmark,
       .takes_tags = true},
      {.name = "latency",
       .title = "a CSV of milliseconds per model, device and author, or of what stands in the way",
       .ending = ".csv",
       .report = render_latency,
       .takes_tags = true,
       .may_be_appended = true},
      {.name = "commands",
       .title = "a script that calls IREE's own tools for each artifact",
       .ending = ".sh",
       .report = render_commands,
       .everything = true,
       .files = commands_files,
       .asks_what_runs = true},
      {.name = "generated",
       .title = "programs and artifacts of op:NAME, in the folders of IREE's dispatch profiler",
       .ending = "",
       .report = render_generated,
       .files = generated_files},
      {.name = "kernelbench",
       .title = "eval_results.json, as KernelBench writes it",
       .ending = ".json",
       .report = render_kernelbench,
       .files = kernelbench_files},
      {.name = "score",
       .title = "call and exec accuracy and pass@k of suites with tests, of one run or several",
       .ending = ".txt",
       .report = render_suite_score,
       .runs = render_suite_scores},
      {.name = "geak",
       .title = "the folder that geak-eval writes of a suite with tests: out.json and what follows",
       .ending = "",
       .report = render_geak,
       .files = geak_files},
      {.name = "arena",
       .title = "AgentKernelArena's task_result.yaml, one for each answer to a suite with tests",
       .ending = ".txt",
       .report = render_arena,
       .files = arena_task_files},
      {.name = "kernelbench-x",
       .title = "metrics.json and summary.json, as KernelBench-X writes them",
       .ending = ".json",
       .report = render_kernelbench_x,
       .files = kernelbench_x_files},
      {.name = "hipkittens",
       .title = "summary.json, batch_run.log and detailed_report.txt and .json of `assay write`",
       .ending = ".json",
       .report = render_hipkittens,
       .everything = true,
       .in_run = true,
       .files = hipkittens_files,
       .of_searches = true},
  });
  return table;
}

std::span<const Format> report_formats() {
  static const std::vector<Format> table = those_with(&Format::report);
  return table;
}

std::span<const Format> comparison_formats() {
  static const std::vector<Format> table = those_with(&Format::comparison);
  return table;
}

std::span<const Format> league_formats() {
  static const std::vector<Format> table = [] {
    std::vector<Format> all = those_with(&Format::league);
    for (Format& each : those_with(&Format::runs)) all.push_back(std::move(each));
    return all;
  }();
  return table;
}

std::vector<std::string> report_files(const Format& format, const ReportInput& input) {
  if (format.files) return format.files(input);
  return {"report" + std::string(format.ending)};
}

std::string comparison_file(const Format& format) {
  return "comparison" + std::string(format.ending);
}

std::string league_file(const Format& format) { return "standings" + std::string(format.ending); }

void render_league(const Format& format, const League& league, ReportSink& sink) {
  sink.begin_file(league_file(format));
  format.league(league, sink);
}

void render_report(const Format& format, const ReportInput& input, ReportSink& sink) {
  if (!format.files) sink.begin_file(report_files(format, input).front());
  format.report(input, sink);
}

void render_comparison(const Format& format, const Comparison& comparison, ReportSink& sink) {
  sink.begin_file(comparison_file(format));
  format.comparison(comparison, sink);
}

std::string verdict_in_words(const Attempt& attempt) {
  std::string verdict(to_word(kVerdictWords, attempt.verdict));
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) {
    for (const StageRecord& stage : attempt.stages)
      if (stage.stage == Stage::smoke)
        verdict += stage.status == StageStatus::ok ? " (smoke)" : " (smoke: not judged)";
    if (attempt.verdict == Verdict::accepted) verdict += labels_in_words(attempt);
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
