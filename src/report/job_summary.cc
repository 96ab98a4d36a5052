// Markdown for the summary of a CI job (GITHUB_STEP_SUMMARY): what somebody has to look at, whole
// on a screen, and no longer than such pages may be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/units.h"
#include "report/causes.h"
#include "report/comparison.h"
#include "report/format.h"
#include "report/speed.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr size_t kMostInSummary = 30;  // of each table; 1 MiB is what GitHub takes of all steps
constexpr size_t kMostOfCell = 400;    // bytes, of an error

std::string summary_cell(const std::string& text) {
  const std::string short_text = utf8(std::string_view(text).substr(0, kMostOfCell));
  return markdown_text(text.size() > kMostOfCell ? short_text + " ..." : short_text);
}

// A table of these rows, or of the first of them with a line that says so; "" where there is none.
std::string shortened(const std::string& title, const Row& head, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format("\n### {} ({})\n\n", title, rows.size()) + markdown_row(head) +
                     markdown_rule(head.size());
  const size_t shown = std::min(rows.size(), kMostInSummary);
  for (size_t i = 0; i < shown; ++i) text += markdown_row(rows[i]);
  if (shown < rows.size()) text += fmt::format("\n{} more.\n", rows.size() - shown);
  return text;
}

// Code that is shown as it is, whatever stands in it: indented, no fence can end it.
std::string see_again(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n<details><summary>See it again</summary>\n\n";
  for (size_t i = 0; i < std::min(lines.size(), kMostInSummary); ++i)
    text += "      " + printable(utf8(lines[i]), false) + "\n";
  return text + "\n</details>\n";
}

std::string folded(const std::string& title, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format("\n<details><summary>{}</summary>\n\n", title);
  text += markdown_row(Row(rows.front().size(), "")) + markdown_rule(rows.front().size());
  for (const Row& row : rows) text += markdown_row(row);
  return text + "\n</details>\n";
}

std::vector<Row> speed_rows(const std::vector<Attempt>& attempts) {
  std::vector<const Attempt*> timed;
  for (const Attempt& attempt : attempts)
    if (attempt.timing && !attempt.timing->speedups.empty()) timed.push_back(&attempt);
  // What was lost, first.
  std::ranges::stable_sort(
      timed, {}, [](const Attempt* each) { return each->timing->speedups.front().ratio; });
  std::vector<Row> rows;
  for (const Attempt* each : timed)
    rows.push_back({summary_cell(each->id), summary_cell(speed_in_words(*each))});
  return rows;
}

}  // namespace

void render_job_summary(const ReportInput& input, ReportSink& sink) {
  const Summary summary = summarise(input.attempts);
  const bool is_good = summary.all.passed() == summary.all.total;
  sink.write(fmt::format("## assay: {}\n\n**{}** {}.\n", markdown_text(input.folder),
                         is_good ? "No action required." : "Action required.",
                         in_words(summary.all)));
  std::vector<Row> causes;
  for (const Cause& cause : find_causes(input.attempts))
    causes.push_back({std::to_string(cause.attempts.size()), summary_cell(where_in_words(cause)),
                      summary_cell(cause.text), summary_cell(cause.attempts.front()->id)});
  sink.write(shortened("Causes", {"attempts", "where", "cause", "for example"}, causes));
  std::vector<Row> failures;
  std::vector<std::string> again;
  for (const Attempt& attempt : input.attempts)
    if (const StageRecord* deciding = attempt.deciding_stage()) {
      failures.push_back({summary_cell(attempt.id), summary_cell(verdict_in_words(attempt)),
                          summary_cell(deciding->error)});
      again.push_back(attempt.reproduce);
    }
  sink.write(shortened("Did not pass", {"attempt", "verdict", "why"}, failures));
  sink.write(see_again(again));
  sink.write(
      shortened("Speed, the slowest first", {"attempt", "speed"}, speed_rows(input.attempts)));
  std::vector<Row> made;
  for (const auto& [name, value] : provenance(input.run, input.attempts))
    made.push_back({summary_cell(name), summary_cell(value)});
  sink.write(folded("Made with", made));
}

void render_job_summary_comparison(const Comparison& comparison, ReportSink& sink) {
  const size_t broken = comparison.count(Change::broken);
  const size_t slower = comparison.is_timed() ? comparison.count(SpeedVerdict::slower) : 0;
  sink.write(fmt::format(
      "## assay: {} against {}\n\n**{}** {} in common: {} broken, {} fixed{}.\n",
      markdown_text(comparison.folder_b), markdown_text(comparison.folder_a),
      broken + slower == 0 ? "Nothing is broken or slower." : "Action required.",
      format_count(comparison.in_common(), "attempt"), broken, comparison.count(Change::fixed),
      comparison.is_timed() ? fmt::format(", {} slower, {} faster, {} undecided", slower,
                                          comparison.count(SpeedVerdict::faster),
                                          comparison.count(SpeedVerdict::undecided))
                            : ""));
  constexpr std::pair<Change, std::string_view> kEnds[] = {
      {Change::broken, "Broken"},
      {Change::unjudged, "Could not be judged in one of them"},
      {Change::changed, "Fail otherwise than before"},
      {Change::fixed, "Fixed"}};
  std::vector<std::string> again;
  auto of_change = [&](Change change) {
    std::vector<Row> rows;
    for (const ComparedAttempt& pair : comparison.attempts) {
      if (pair.change != change) continue;
      rows.push_back({summary_cell(pair.either().id),
                      pair.a ? summary_cell(end_in_words(*pair.a)) : "-",
                      pair.b ? summary_cell(end_in_words(*pair.b)) : "-"});
      if (change == Change::broken) again.push_back(pair.b->reproduce);
    }
    return rows;
  };
  auto of_speed = [&](SpeedVerdict verdict) {
    std::vector<Row> rows;
    for (const ComparedAttempt& pair : comparison.attempts)
      if (pair.speed && pair.speed->verdict == verdict)
        rows.push_back({summary_cell(pair.a->id), summary_cell(in_words(*pair.speed))});
    return rows;
  };
  for (const auto& [change, title] : kEnds) {
    sink.write(shortened(std::string(title), {"attempt", "before", "after"}, of_change(change)));
    if (change != Change::broken) continue;
    sink.write(see_again(again));
    sink.write(shortened("Slower", {"attempt", "speed"}, of_speed(SpeedVerdict::slower)));
  }
  sink.write(shortened("Faster", {"attempt", "speed"}, of_speed(SpeedVerdict::faster)));
  std::vector<Row> differences;
  for (const Difference& each : comparison.differences)
    differences.push_back({summary_cell(each.what), summary_cell(each.a), summary_cell(each.b)});
  sink.write(folded("Made with something else", differences));
}

}  // namespace assay
