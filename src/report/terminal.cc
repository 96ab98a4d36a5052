// For a terminal, read from its end: what passed where stands last, above it why the rest did not,
// above that the attempts themselves, of which there may be thousands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "base/escape.h"
#include "report/author_table.h"
#include "report/causes.h"
#include "report/code_table.h"
#include "report/figures.h"
#include "report/format.h"
#include "report/other_verdict.h"
#include "report/profile.h"
#include "report/ranking.h"
#include "report/score_table.h"
#include "report/search_results.h"
#include "report/speed.h"
#include "report/suite_table.h"
#include "report/table.h"

namespace assay {
namespace {

std::string attempts_table(const std::vector<Attempt>& attempts, size_t columns) {
  const std::string check = check_name(attempts);
  Row head{"ATTEMPT", "VERDICT"};
  if (!check.empty()) head.push_back(terminal_text(check));
  const bool timed = any_is_timed(attempts);
  if (timed) head.emplace_back("SPEED");
  head.insert(head.end(), {"EXPORT", "COMPILE", "VERIFY", "PEAK", "DISPATCHES", "SIZE"});
  std::vector<Row> rows{head};
  for (const Attempt& attempt : attempts) {
    AttemptFigures figures = figures_of(attempt);
    Row row{attempt.id, verdict_in_words(attempt)};
    if (!check.empty()) row.push_back(correct_cell(attempt));
    if (timed) row.push_back(speed_cell(attempt));
    row.insert(row.end(), {duration_cell(figures.export_ns), duration_cell(figures.compile_ns),
                           duration_cell(figures.verify_ns), bytes_cell(figures.peak_bytes),
                           count_cell(figures.dispatches), bytes_cell(figures.artifact_bytes)});
    rows.push_back(std::move(row));
  }
  return text_table(rows, columns) + "\n";
}

// What there is to say of each attempt, behind its id; "" of those that it does not concern.
void write_list(const std::string& title, const std::vector<Attempt>& attempts, ReportSink& sink,
                std::string (*say)(const Attempt&)) {
  bool any = false;
  for (const Attempt& attempt : attempts) {
    const std::string said = say(attempt);
    if (said.empty()) continue;
    if (!std::exchange(any, true)) sink.write(title + "\n");
    sink.write(attempt.id + said);
  }
  if (any) sink.write("\n");
}

// Each with its error and the command that shows it again, whole and on lines of their own.
std::string failure(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) return "";
  return "  " + verdict_in_words(attempt) + "\n    " + terminal_text(deciding->error) + "\n    " +
         terminal_text(attempt.reproduce) + "\n";
}

std::string why_not_timed(const Attempt& attempt) {
  return is_not_timed(attempt) ? "\n    " + terminal_text(reason(attempt)) + "\n" : "";
}

std::string causes_in_text(const std::vector<Attempt>& attempts, size_t columns) {
  std::vector<Row> rows{{"PROBLEMS", "WHERE", "CAUSE", "TARGETS"}};
  for (const Cause& cause : find_causes(attempts))
    rows.push_back({std::to_string(cause.problems), where_in_words(cause), cause.text,
                    terminal_text(fmt::format("{}", fmt::join(cause.targets, " ")))});
  return rows.size() == 1 ? "" : text_table(rows, columns) + "\n";
}

// Targets below each other and levels side by side; the other way round where levels are many.
std::string passed_table(const Summary& summary, size_t columns) {
  constexpr size_t kMostColumns = 8;
  bool turned = summary.by_level.size() > kMostColumns;
  const auto& across = turned ? summary.by_target : summary.by_level;
  const auto& down = turned ? summary.by_level : summary.by_target;
  Row head{"PASSED"}, all{"all"};
  for (const auto& [name, tally] : across) {
    head.push_back(terminal_text(name));
    all.push_back(ratio(tally));
  }
  head.insert(head.end(), {"all", ""});
  all.insert(all.end(), {ratio(summary.all), percentage(summary.all)});
  std::vector<Row> rows{head};
  for (const auto& [name, tally] : down) {
    Row row{terminal_text(name)};
    for (const auto& [other, unused] : across) {
      const auto& [level, target] = turned ? std::tie(name, other) : std::tie(other, name);
      auto found = summary.by_level_and_target.find({level, target});
      row.push_back(found == summary.by_level_and_target.end() ? "-" : ratio(found->second));
    }
    row.insert(row.end(), {ratio(tally), percentage(tally)});
    rows.push_back(row);
  }
  rows.push_back(all);
  return text_table(rows, columns) + "\n";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// Safe, with the head in capitals.
std::vector<Row> for_terminal(std::vector<Row> rows) {
  if (rows.empty()) return rows;
  for (std::string& cell : rows.front()) cell = upper(cell);
  for (Row& row : rows)
    for (std::string& cell : row) cell = terminal_text(cell);
  return rows;
}

// A table below its title; "" without rows.
std::string titled(const std::string& title, std::vector<Row> rows, size_t columns) {
  if (rows.empty()) return "";
  return upper(title.substr(0, 1)) + title.substr(1) + "\n\n" +
         text_table(for_terminal(std::move(rows)), columns) + "\n";
}

// Nothing where nothing was run with tests.
std::string suite_scores_in_words(const ReportInput& input) {
  const std::vector<NamedSuiteScore> ranked = ranked_suite_scores({&input, 1});
  if (ranked.empty()) return "";
  std::string text = titled(std::string(kSuiteTitle), suite_rows(ranked), input.columns);
  if (std::vector<Row> rows = for_terminal(suite_at_k_rows(ranked)); !rows.empty())
    text += text_table(rows, input.columns) + "\n";
  for (const std::string& note : suite_notes()) text += note + "\n";
  return text + "\n";
}

// Nothing where nothing was timed, and nobody had several candidates.
std::string scores_in_words(const ReportInput& input) {
  const std::vector<Score> scores = scores_of(input.attempts, input.ks);
  const size_t columns = input.columns;
  std::string text;
  // Of its many columns each is a row where they are too many.
  if (std::vector<Row> rows = for_terminal(score_rows(scores)); !rows.empty())
    text += text_table(fits(rows, columns) ? rows : turned(rows), columns) + "\n";
  if (std::vector<Row> rows = for_terminal(at_k_rows(scores)); !rows.empty())
    text += text_table(rows, columns) + "\n";
  const std::vector<std::string> notes = score_notes(scores);
  for (const std::string& note : notes) text += terminal_text(note) + "\n";
  return notes.empty() ? text : text + "\n";
}

}  // namespace

void render_terminal(const ReportInput& input, ReportSink& sink) {
  Summary summary = summarise(input.attempts);
  sink.write(titled(terminal_text(ranking_title(input.attempts)), ranking_rows(input.attempts),
                    input.columns));
  sink.write(titled(profile_title(input.attempts), profile_rows(input.run, input.attempts),
                    input.columns));
  if (const AuthorTable table = author_table(input.attempts); table.is_there())
    sink.write(titled(terminal_text(author_title(table)), author_rows(table), input.columns));
  sink.write(titled(kCodeTitle, code_rows(input.attempts), input.columns));
  if (input.all) sink.write(attempts_table(input.attempts, input.columns));
  write_list("DID NOT PASS", input.attempts, sink, failure);
  write_list("NOT TIMED", input.attempts, sink, why_not_timed);
  sink.write(causes_in_text(input.attempts, input.columns));
  sink.write(suite_scores_in_words(input));
  sink.write(scores_in_words(input));
  sink.write(passed_table(summary, input.columns));
  if (std::string others = others_in_words(input.attempts); !others.empty())
    sink.write(terminal_text(others) + "\n");
  sink.write(in_words(summary.all) + "\n");
  if (input.search.is_there())
    sink.write("\n" + printable(utf8(search_summary_in_words(input.search)), true));
}

}  // namespace assay
