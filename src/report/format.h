// The table of formats: what renders a report of a run, a comparison of two, or both. Each is one
// file beside this one and a row in format.cc; docs/hacking.md shows how to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "report/summary.h"

namespace assay {

struct Comparison;
struct League;

// Where what is rendered goes, piece by piece: a report of a large run has hundreds of megabytes,
// which nobody needs to hold.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  // What is written from here on belongs to this file; the name is for folders.
  void begin_file(const std::string& name);
  void write(std::string_view text);
  // What is rendered cannot be: nothing more is written, and finish() says why.
  void fail(Error error);
  // Hands on what is still held, and closes it. The first thing that went wrong.
  Status finish();

 protected:
  Status status_;

 private:
  void flush();
  virtual void open(const std::string& name) = 0;
  virtual void take(std::string_view piece) = 0;
  virtual void close() {}

  std::string piece_;
};

struct Format {
  std::string_view name;
  std::string_view title;   // in one line
  std::string_view ending;  // of a file of it: ".md"
  // Null: there is no such thing in this format.
  void (*report)(const ReportInput& input, ReportSink& sink) = nullptr;
  void (*comparison)(const Comparison& comparison, ReportSink& sink) = nullptr;
  void (*league)(const League& league, ReportSink& sink) = nullptr;  // of several runs
  // Of several runs by something else than who is faster than whom.
  void (*runs)(std::span<const ReportInput> runs, ReportSink& sink) = nullptr;
  // Its reports show the long texts and all evidence, so they must be read.
  bool everything = false;
  // A run's folder has one, of all that is in it.
  bool in_run = false;
  // The names of a report's files, each of which it begins itself. Null: it is a single one.
  std::vector<std::string> (*files)(const ReportInput& input) = nullptr;
  bool of_searches = false;  // of runs of `assay write` alone
  bool takes_tags = false;
  bool may_be_appended = false;  // rows under a head
  bool asks_what_runs = false;   // needs ReportInput::not_here
};

std::span<const Format> formats();
// Those for a report, and those for a comparison.
std::span<const Format> report_formats();
std::span<const Format> comparison_formats();
std::span<const Format> league_formats();

// The names of a report's files: "report.md".
std::vector<std::string> report_files(const Format& format, const ReportInput& input);
std::string comparison_file(const Format& format);  // "comparison.md"
// Renders it, each file begun by its name.
void render_report(const Format& format, const ReportInput& input, ReportSink& sink);
void render_comparison(const Format& format, const Comparison& comparison, ReportSink& sink);
std::string league_file(const Format& format);  // "standings.md"
void render_league(const Format& format, const League& league, ReportSink& sink);

void render_terminal(const ReportInput& input, ReportSink& sink);
void render_markdown(const ReportInput& input, ReportSink& sink);
void render_json(const ReportInput& input, ReportSink& sink);
void render_json_lines(const ReportInput& input, ReportSink& sink);
void render_csv(const ReportInput& input, ReportSink& sink);
void render_junit(const ReportInput& input, ReportSink& sink);
void render_kernelbench(const ReportInput& input, ReportSink& sink);
std::vector<std::string> kernelbench_files(const ReportInput& input);
void render_html(const ReportInput& input, ReportSink& sink);
void render_sarif(const ReportInput& input, ReportSink& sink);
void render_bmf(const ReportInput& input, ReportSink& sink);
void render_torch_v3(const ReportInput& input, ReportSink& sink);
void render_hipkittens(const ReportInput& input, ReportSink& sink);
std::vector<std::string> hipkittens_files(const ReportInput& input);
void render_job_summary(const ReportInput& input, ReportSink& sink);
void render_svg(const ReportInput& input, ReportSink& sink);
void render_classic(const ReportInput& input, ReportSink& sink);
std::vector<std::string> classic_files(const ReportInput& input);

void render_suite_score(const ReportInput& input, ReportSink& sink);
void render_suite_scores(std::span<const ReportInput> runs, ReportSink& sink);
void render_geak(const ReportInput& input, ReportSink& sink);
std::vector<std::string> geak_files(const ReportInput& input);
void render_arena(const ReportInput& input, ReportSink& sink);
std::vector<std::string> arena_task_files(const ReportInput& input);
void render_kernelbench_x(const ReportInput& input, ReportSink& sink);
std::vector<std::string> kernelbench_x_files(const ReportInput& input);

void render_profiler(const ReportInput& input, ReportSink& sink);
void render_profiler_text(const ReportInput& input, ReportSink& sink);
void render_cutlass(const ReportInput& input, ReportSink& sink);
void render_google_benchmark(const ReportInput& input, ReportSink& sink);
void render_latency(const ReportInput& input, ReportSink& sink);
void render_commands(const ReportInput& input, ReportSink& sink);
std::vector<std::string> commands_files(const ReportInput& input);
void render_generated(const ReportInput& input, ReportSink& sink);
std::vector<std::string> generated_files(const ReportInput& input);

void render_terminal_league(const League& league, ReportSink& sink);
void render_markdown_league(const League& league, ReportSink& sink);
void render_json_league(const League& league, ReportSink& sink);
void render_html_league(const League& league, ReportSink& sink);

void render_terminal_comparison(const Comparison& comparison, ReportSink& sink);
void render_markdown_comparison(const Comparison& comparison, ReportSink& sink);
void render_json_comparison(const Comparison& comparison, ReportSink& sink);
void render_html_comparison(const Comparison& comparison, ReportSink& sink);
void render_job_summary_comparison(const Comparison& comparison, ReportSink& sink);
void render_junit_comparison(const Comparison& comparison, ReportSink& sink);

// What several formats say in the same words.
// "failed (export: load)", "compiled".
std::string verdict_in_words(const Attempt& attempt);
// Versions and machine on one line each, {"torch", "2.13.0"}, and how candidates were jailed:
// {"isolation", "L3"}.
std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run,
                                                            const std::vector<Attempt>& attempts);

}  // namespace assay
