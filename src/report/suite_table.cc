// `--format score`: who answered how well to suites of kernels with tests, of one run or several.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/escape.h"
#include "report/format.h"
#include "report/suite_score.h"
#include "report/table.h"

namespace assay {
namespace {

std::string rate_in_words(const SuiteRate& rate) {
  if (rate.of == 0) return "-";
  return fmt::format("{:.1f} %", 100 * rate.share());
}

// From all answers right, by assay, to none.
struct Ranked {
  std::string name;
  SuiteScore score;
};

std::string name_of(const SuiteScore& score, const std::string& folder, bool says_folder,
                    bool says_target) {
  std::string name = score.author;
  if (says_target) name += " on " + score.target;
  if (says_folder) name += " (" + folder + ")";
  return name;
}

std::vector<Row> rows_of(const std::vector<Ranked>& ranked) {
  std::vector<Row> rows{
      {"who", "of", "kernels", "answers", "call accuracy", "exec accuracy", "assay", "left out"}};
  for (const auto& [name, score] : ranked)
    rows.push_back({name, score.group.empty() ? "all" : score.group,
                    fmt::format("{}", score.kernels), fmt::format("{}", score.answers),
                    rate_in_words(score.call), rate_in_words(score.exec),
                    rate_in_words(score.assay), fmt::format("{}", score.unverifiable)});
  return rows;
}

std::vector<Row> at_k_rows_of(const std::vector<Ranked>& ranked) {
  std::vector<Row> rows{{"who", "k", "call pass@k", "exec pass@k", "assay pass@k"}};
  for (const auto& [name, score] : ranked) {
    if (!score.group.empty()) continue;
    for (const SuitePassAt& at : score.at_k)
      rows.push_back({name, fmt::format("{}", at.k), fmt::format("{:.1f} %", 100 * at.call),
                      fmt::format("{:.1f} %", 100 * at.exec),
                      fmt::format("{:.1f} %", 100 * at.assay)});
  }
  return rows;
}

std::vector<Row> spelled_rows(std::vector<Row> rows) {
  for (Row& row : rows)
    for (std::string& cell : row) cell = terminal_text(cell);
  return rows;
}

}  // namespace

void render_suite_scores(std::span<const ReportInput> runs, ReportSink& sink) {
  std::vector<Ranked> ranked;
  std::set<std::string> targets;
  std::vector<std::pair<std::string, SuiteScore>> scores;
  for (const ReportInput& run : runs)
    for (SuiteScore& score : suite_scores(run.attempts, run.ks)) {
      targets.insert(score.target);
      scores.emplace_back(run.folder, std::move(score));
    }
  for (auto& [folder, score] : scores) {
    std::string name = name_of(score, folder, runs.size() > 1, targets.size() > 1);
    ranked.push_back({std::move(name), std::move(score)});
  }
  if (ranked.empty()) {
    sink.write("nothing here was run with tests: triton:PATH is\n");
    return;
  }
  // The best first, each with its groups behind it, in which order they are.
  std::map<std::string, double> share_of;
  for (const auto& [name, score] : ranked)
    if (score.group.empty()) share_of[name] = score.assay.share();
  std::ranges::stable_sort(ranked, [&](const Ranked& a, const Ranked& b) {
    return share_of[a.name] > share_of[b.name];
  });
  const size_t columns = runs.front().columns;
  sink.write(text_table(spelled_rows(rows_of(ranked)), columns));
  if (std::vector<Row> rows = at_k_rows_of(ranked); rows.size() > 1)
    sink.write("\n" + text_table(spelled_rows(std::move(rows)), columns));
  sink.write(
      "\ncall: the tests run to their end. exec: they leave what the suite's own kernel leaves, "
      "as\n"
      "the suite compares it. assay: so they do under secret seeds, and by what the types allow.\n"
      "Accuracies leave out what is unverifiable here. time: needs a card.\n");
}

void render_suite_score(const ReportInput& input, ReportSink& sink) {
  render_suite_scores({&input, 1}, sink);
}

}  // namespace assay
