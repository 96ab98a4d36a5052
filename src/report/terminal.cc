#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/format.h"

namespace assay {
namespace {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; the last one is not padded.
std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += i + 1 < row.size() ? fmt::format("{:<{}}  ", row[i], widths[i]) : row[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string render_terminal(const ReportInput& input) {
  Summary summary = summarise(input.attempts);
  std::vector<Row> rows{{"ATTEMPT", "VERDICT", "EXPORT", "COMPILE", "SIZE", "ERROR"}};
  for (const Attempt& attempt : input.attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    std::string error = deciding ? printable(deciding->error, false) : "";
    rows.push_back({attempt.id, verdict_in_words(attempt), stage_time(attempt, Stage::export_),
                    stage_time(attempt, Stage::compile), artifact_size(attempt), error});
  }
  std::string text = table(rows) + "\n";
  std::vector<Row> tallies;
  for (const auto& [target, tally] : summary.by_target)
    tallies.push_back({target, in_words(tally)});
  tallies.push_back({"all", in_words(summary.all)});
  return text + table(tallies);
}

}  // namespace assay
