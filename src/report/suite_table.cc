#include "report/suite_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/format.h"

namespace assay {
namespace {

std::string rate_in_words(const SuiteRate& rate) {
  if (rate.of == 0) return "-";
  return fmt::format("{:.1f} %", 100 * rate.share());
}

// Of all three accuracies, and of assay's own where that leaves out more.
std::string left_out_in_words(const SuiteScore& score) {
  const size_t of_assay = score.answers - score.assay.of;
  if (of_assay == score.unverifiable) return fmt::format("{}", score.unverifiable);
  return fmt::format("{}, of assay {}", score.unverifiable, of_assay);
}

std::string name_of(const SuiteScore& score, const std::string& folder, bool says_folder,
                    bool says_target) {
  std::string name = score.author;
  if (says_target) name += " on " + score.target;
  if (says_folder) name += " (" + folder + ")";
  return name;
}

std::vector<Row> spelled_rows(std::vector<Row> rows) {
  for (Row& row : rows)
    for (std::string& cell : row) cell = terminal_text(cell);
  return rows;
}

}  // namespace

std::vector<NamedSuiteScore> ranked_suite_scores(std::span<const ReportInput> runs) {
  std::set<std::string> targets;
  std::vector<std::pair<std::string, SuiteScore>> scores;
  for (const ReportInput& run : runs)
    for (SuiteScore& score : suite_scores(run.attempts, run.ks)) {
      targets.insert(score.target);
      scores.emplace_back(run.folder, std::move(score));
    }
  std::vector<NamedSuiteScore> ranked;
  for (auto& [folder, score] : scores) {
    std::string name = name_of(score, folder, runs.size() > 1, targets.size() > 1);
    ranked.push_back({std::move(name), std::move(score)});
  }
  std::map<std::string, double> share_of;
  for (const auto& [name, score] : ranked)
    if (score.group.empty()) share_of[name] = score.assay.share();
  std::ranges::stable_sort(ranked, [&](const NamedSuiteScore& a, const NamedSuiteScore& b) {
    return share_of[a.name] > share_of[b.name];
  });
  return ranked;
}

std::vector<Row> suite_rows(std::span<const NamedSuiteScore> ranked) {
  if (ranked.empty()) return {};
  std::vector<Row> rows{
      {"who", "of", "kernels", "answers", "call accuracy", "exec accuracy", "assay", "left out"}};
  for (const auto& [name, score] : ranked)
    rows.push_back({name, score.group.empty() ? "all" : score.group,
                    fmt::format("{}", score.kernels), fmt::format("{}", score.answers),
                    rate_in_words(score.call), rate_in_words(score.exec),
                    rate_in_words(score.assay), left_out_in_words(score)});
  return rows;
}

std::vector<Row> suite_at_k_rows(std::span<const NamedSuiteScore> ranked) {
  std::vector<Row> rows{{"who", "passes", "k", "call pass@k", "exec pass@k", "assay pass@k"}};
  for (const auto& [name, score] : ranked) {
    if (!score.group.empty()) continue;
    for (const SuitePassAt& at : score.at_k)
      rows.push_back({name, fmt::format("{}", score.passes), fmt::format("{}", at.k),
                      fmt::format("{:.1f} %", 100 * at.call),
                      fmt::format("{:.1f} %", 100 * at.exec),
                      fmt::format("{:.1f} %", 100 * at.assay)});
  }
  if (rows.size() == 1) rows.clear();
  return rows;
}

std::vector<std::string> suite_notes() {
  return {"call: the tests run to their end",
          "exec: they leave what the suite's own kernel leaves, as the suite compares it",
          "assay: so they do under secret seeds, and by what the types allow",
          "none counts what is unverifiable here; in pass@k a pass without an answer is wrong",
          "time: needs a card"};
}

Json suite_tables_json(std::span<const NamedSuiteScore> ranked) {
  if (ranked.empty()) return nullptr;
  return {{"accuracy", spelled_rows(suite_rows(ranked))},
          {"at_k", spelled_rows(suite_at_k_rows(ranked))},
          {"notes", suite_notes()}};
}

void render_suite_scores(std::span<const ReportInput> runs, ReportSink& sink) {
  const std::vector<NamedSuiteScore> ranked = ranked_suite_scores(runs);
  if (ranked.empty()) {
    sink.write("nothing here was run with tests: triton:PATH is\n");
    return;
  }
  const size_t columns = runs.front().columns;
  sink.write(text_table(spelled_rows(suite_rows(ranked)), columns));
  if (std::vector<Row> rows = suite_at_k_rows(ranked); !rows.empty())
    sink.write("\n" + text_table(spelled_rows(std::move(rows)), columns));
  sink.write("\n");
  for (const std::string& note : suite_notes()) sink.write(note + "\n");
}

void render_suite_score(const ReportInput& input, ReportSink& sink) {
  render_suite_scores({&input, 1}, sink);
}

}  // namespace assay
