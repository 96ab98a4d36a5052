// RFC 4180: one row per attempt under fixed columns (docs/formats.md). Line breaks are kept in
// quotes, as it says; other control characters become visible, since a CSV is also looked at in a
// terminal.
#include <array>
#include <span>
#include <vector>

#include "base/escape.h"
#include "report/causes.h"
#include "report/figures.h"
#include "report/format.h"
#include "report/other_verdict.h"
#include "report/profile.h"
#include "report/speed.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr std::array kColumns{
    "id",         "suite",          "level",      "problem",   "target",     "author",
    "candidate",  "precision",      "mode",       "verdict",   "stage",      "class",
    "rule",       "error",          "cause",      "export_ns", "compile_ns", "verify_ns",
    "peak_bytes", "artifact_bytes", "dispatches", "check",     "isolation",  "seed",
    "reproduce",  "finished",       "reached",    "fault"};

std::string field(const std::string& text) { return csv_field(text); }

template <class Number>
std::string field(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "";
}

void write_row(std::span<const std::string> fields, ReportSink& sink) {
  for (size_t i = 0; i < fields.size(); ++i) sink.write((i > 0 ? "," : "") + fields[i]);
}

}  // namespace

void render_csv(const ReportInput& input, ReportSink& sink) {
  const bool is_timed = any_is_timed(input.attempts);
  const bool is_profiled = has_profiles(input.run, input.attempts);
  write_row(std::vector<std::string>(kColumns.begin(), kColumns.end()), sink);
  if (is_timed)
    for (const auto& [name, value] : timing_fields(Attempt())) sink.write("," + std::string(name));
  if (is_profiled)
    for (const auto& [name, value] : profile_fields(Attempt())) sink.write("," + std::string(name));
  sink.write("\r\n");
  for (const Attempt& attempt : input.attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    AttemptFigures figures = figures_of(attempt);
    const std::optional<Fault> fault = fault_of(attempt);
    std::string stage, failure;
    if (deciding) stage = to_word(kStageWords, deciding->stage);
    if (deciding && deciding->failure) failure = to_word(kFailureClassWords, *deciding->failure);
    std::array<std::string, kColumns.size()> fields{
        field(attempt.id),
        field(attempt.suite),
        field(attempt.level),
        field(attempt.workload),
        field(attempt.target),
        field(attempt.author),
        std::to_string(attempt.candidate),
        std::string(to_word(kPrecisionWords, attempt.precision)),
        field(attempt.mode),
        std::string(to_word(kVerdictWords, attempt.verdict)),
        stage,
        failure,
        field(deciding ? deciding->rule : ""),
        field(deciding ? deciding->error : ""),
        field(deciding ? cause_of(deciding->error) : ""),
        field(figures.export_ns),
        field(figures.compile_ns),
        field(figures.verify_ns),
        field(figures.peak_bytes),
        field(figures.artifact_bytes),
        field(figures.dispatches),
        correct_cell(attempt) == "-" ? "" : correct_cell(attempt),
        field(attempt.isolation),
        field(attempt.seed),
        field(attempt.reproduce),
        field(attempt.finished),
        std::string(reached(attempt)),
        std::string(fault ? to_word(kFaultWords, *fault) : "")};
    write_row(fields, sink);
    if (is_timed)
      for (const auto& [name, value] : timing_fields(attempt)) sink.write("," + field(value));
    if (is_profiled)
      for (const auto& [name, value] : profile_fields(attempt)) sink.write("," + field(value));
    sink.write("\r\n");
  }
}

}  // namespace assay
