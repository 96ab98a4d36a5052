#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

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
#include "report/weaker.h"

namespace assay {
namespace {

std::string by_level_and_target(const Summary& summary) {
  Row head{"level"}, all{"all"};
  for (const auto& [target, tally] : summary.by_target) {
    head.push_back(markdown_text(target));
    all.push_back(ratio(tally));
  }
  auto total = [](const Tally& tally) {
    return fmt::format("{} ({})", ratio(tally), percentage(tally));
  };
  head.push_back("all");
  all.push_back(total(summary.all));
  std::string text = markdown_row(head) + markdown_rule(head.size());
  for (const auto& [level, tally] : summary.by_level) {
    Row row{markdown_text(level)};
    for (const auto& [target, unused] : summary.by_target) {
      auto found = summary.by_level_and_target.find({level, target});
      row.push_back(found == summary.by_level_and_target.end() ? "-" : ratio(found->second));
    }
    row.push_back(total(tally));
    text += markdown_row(row);
  }
  return text + markdown_row(all);
}

std::string causes_in_markdown(const std::vector<Attempt>& attempts) {
  std::string text = markdown_row({"problems", "where", "cause", "targets"}) + markdown_rule(4);
  for (const Cause& cause : find_causes(attempts))
    text += markdown_row({std::to_string(cause.problems), markdown_text(where_in_words(cause)),
                          markdown_text(cause.text),
                          markdown_text(fmt::format("{}", fmt::join(cause.targets, ", ")))});
  return text;
}

// What a verification could not do, with the accepted attempts of which that is so. Empty: nothing.
std::string weaker_table(const std::vector<Attempt>& attempts) {
  std::map<std::string, std::vector<std::string>> found;
  for (const Attempt& attempt : attempts) {
    if (attempt.verdict != Verdict::accepted) continue;
    for (const std::string& line : weaker_of(attempt)) found[line].push_back(attempt.id);
  }
  if (found.empty()) return "";
  std::string text = markdown_row({"accepted, but", "attempts"}) + markdown_rule(2);
  for (const auto& [line, ids] : found)
    text +=
        markdown_row({markdown_text(line), markdown_text(fmt::format("{}", fmt::join(ids, ", ")))});
  return text;
}

std::string markdown_table(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    Row safe;
    for (const std::string& cell : row) safe.push_back(markdown_text(cell));
    text += markdown_row(safe);
    if (&row == &rows.front()) text += markdown_rule(row.size());
  }
  return text;
}

// Nothing where nothing was run with tests.
std::string suite_section(const ReportInput& input) {
  const std::vector<NamedSuiteScore> ranked = ranked_suite_scores({&input, 1});
  if (ranked.empty()) return "";
  std::string text = "\n## Kernels with tests\n\n" + markdown_table(suite_rows(ranked));
  if (const std::vector<Row> rows = suite_at_k_rows(ranked); !rows.empty())
    text += "\n" + markdown_table(rows);
  text += "\n";
  for (const std::string& note : suite_notes()) text += "- " + markdown_text(note) + "\n";
  return text;
}

// Nothing where nothing was timed, and nobody had several candidates.
std::string speed_section(const ReportInput& input) {
  const std::vector<Score> scores = scores_of(input.attempts, input.ks);
  std::string text;
  if (const std::vector<Row> rows = score_rows(scores); !rows.empty())
    text += "\n## How fast\n\n" + markdown_table(rows);
  if (!text.empty() && !input.picture_file.empty())
    text += fmt::format("\n![Speed-ups with their intervals]({})\n", input.picture_file);
  if (const std::vector<Row> rows = at_k_rows(scores); !rows.empty())
    text +=
        (text.empty() ? "\n## How often one of several is right\n\n" : "\n") + markdown_table(rows);
  if (std::ranges::none_of(scores, &Score::is_timed)) return text;
  text += "\n";
  for (const std::string& note : score_notes(scores)) text += "- " + markdown_text(note) + "\n";
  return text;
}

void write_failures(const std::vector<Attempt>& attempts, ReportSink& sink) {
  for (const Attempt& attempt : attempts)
    if (const StageRecord* deciding = attempt.deciding_stage())
      sink.write(fmt::format("\n- **{}**: {}. {}\n\n      {}\n", markdown_text(attempt.id),
                             markdown_text(verdict_in_words(attempt)),
                             markdown_text(deciding->error),
                             printable(utf8(attempt.reproduce), false)));
}

void write_attempts(const std::vector<Attempt>& attempts, ReportSink& sink) {
  const std::string check = check_name(attempts);
  Row head{"attempt", "verdict"};
  if (!check.empty()) head.push_back(markdown_text(check));
  const bool timed = any_is_timed(attempts);
  if (timed) head.emplace_back("speed");
  head.insert(head.end(), {"export", "compile", "verify", "peak", "dispatches", "size"});
  sink.write(markdown_row(head) + markdown_rule(head.size()));
  for (const Attempt& attempt : attempts) {
    AttemptFigures figures = figures_of(attempt);
    Row row{markdown_text(attempt.id), markdown_text(verdict_in_words(attempt))};
    if (!check.empty()) row.push_back(correct_cell(attempt));
    if (timed) row.push_back(speed_cell(attempt));
    row.insert(row.end(), {duration_cell(figures.export_ns), duration_cell(figures.compile_ns),
                           duration_cell(figures.verify_ns), bytes_cell(figures.peak_bytes),
                           count_cell(figures.dispatches), bytes_cell(figures.artifact_bytes)});
    sink.write(markdown_row(row));
  }
}

}  // namespace

void render_markdown(const ReportInput& input, ReportSink& sink) {
  Summary summary = summarise(input.attempts);
  const std::vector<Row> ranking = ranking_rows(input.attempts);
  bool action = summary.all.passed() < summary.all.total;
  sink.write(fmt::format("# assay report\n\n**{}** {}.\n\n",
                         action ? "Action required." : "No action required.",
                         in_words(summary.all)));
  if (std::string others = others_in_words(input.attempts); !others.empty())
    sink.write(markdown_text(others) + ".\n\n");
  if (!ranking.empty())
    sink.write("The " + markdown_text(ranking_title(input.attempts)) + ":\n\n" +
               markdown_table(ranking) + "\n");
  if (const AuthorTable table = author_table(input.attempts); table.is_there())
    sink.write("The " + markdown_text(author_title(table)) + ":\n\n" +
               markdown_table(author_rows(table)) + "\n");
  if (const std::vector<Row> rows = profile_rows(input.run, input.attempts); !rows.empty())
    sink.write("The " + markdown_text(profile_title(input.attempts)) + ".\n\n" +
               markdown_table(rows) + "\n");
  if (const std::vector<Row> rows = code_rows(input.attempts); !rows.empty())
    sink.write("The " + std::string(kCodeTitle) + ".\n\n" + markdown_table(rows) + "\n");
  sink.write("Passed, by level and target:\n\n" + by_level_and_target(summary));
  sink.write(suite_section(input));
  sink.write(speed_section(input));
  if (input.search.is_there()) {
    sink.write("\n## What models wrote\n\n");
    std::istringstream lines(printable(utf8(search_summary_in_words(input.search)), true));
    for (std::string line; std::getline(lines, line);) sink.write("      " + line + "\n");
  }
  if (action) {
    sink.write("\n## Why the others did not pass\n\n" + causes_in_markdown(input.attempts));
    sink.write("\n## What did not pass\n");
    write_failures(input.attempts, sink);
  }
  if (std::string weaker = weaker_table(input.attempts); !weaker.empty())
    sink.write("\n## What was not looked at\n\n" + weaker);
  sink.write("\n## Attempts\n\n");
  write_attempts(input.attempts, sink);
  sink.write("\n## Made with\n\n| | |\n" + markdown_rule(2));
  for (const auto& [name, value] : provenance(input.run, input.attempts))
    sink.write(markdown_row({markdown_text(name), markdown_text(value)}));
}

}  // namespace assay
