#include "report/score_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "report/estimators.h"
#include "report/speed.h"

namespace assay {
namespace {

// In percent; never rounded up to all or down to none.
std::string percent(double share) {
  double tenths = std::floor(share * 1000 + 1e-9);
  if (share > 0) tenths = std::max(tenths, 1.0);
  return fmt::format("{:.1f}", tenths / 10);
}

std::string of_whom(const Score& score) {
  return fmt::format("{} of {} on {} against {}", score.author, score.level, score.target,
                     score.baseline);
}

}  // namespace

std::vector<Row> score_rows(std::span<const Score> scores) {
  Row head{"level", "author", "target", "against", "problems", "correct %"};
  for (double p : kFastThresholds)
    if (p > 0) head.push_back(fmt::format("fast_{} %", p));
  head.insert(head.end(),
              {"mean", "mean of all", "faster", "of all", "equal", "slower", "undecided"});
  std::vector<Row> rows{head};
  for (const Score& score : scores) {
    if (!score.is_timed()) continue;
    Row row{score.level,
            score.author,
            score.target,
            score.baseline,
            std::to_string(score.problems),
            percent(score.fast.front().by_estimate)};
    for (const FastShare& each : score.fast)
      if (each.threshold > 0)
        row.push_back(percent(each.by_estimate) + " / " + percent(each.by_low));
    row.push_back(score.geometric_mean ? ratio_in_words(*score.geometric_mean) + "x" : "-");
    row.push_back(ratio_in_words(score.geometric_mean_of_all) + "x");
    for (size_t count :
         {score.faster, score.faster_among_all, score.equal, score.slower, score.undecided})
      row.push_back(std::to_string(count));
    rows.push_back(std::move(row));
  }
  if (rows.size() == 1) rows.clear();
  return rows;
}

std::vector<Row> at_k_rows(std::span<const Score> scores) {
  std::vector<Row> rows;
  for (const Score& score : scores)
    for (const AtK& each : score.at_k)
      rows.push_back({score.level, score.author, score.target,
                      score.is_timed() ? score.baseline : "-", std::to_string(each.k),
                      percent(each.pass),
                      score.is_timed() ? ratio_in_words(each.best) + "x" : "-"});
  if (!rows.empty())
    rows.insert(rows.begin(), {"level", "author", "target", "against", "k", "pass@k %", "best@k"});
  return rows;
}

std::vector<std::string> score_notes(std::span<const Score> scores) {
  std::vector<std::string> notes;
  if (std::ranges::none_of(scores, &Score::is_timed)) return notes;
  notes.emplace_back(
      "fast_p is of all planned problems: by the estimate / by the interval's lower end. Means "
      "are "
      "geometric: of what is right and timed; of all, where what is not counts as 1.0x");
  notes.emplace_back(
      "faster of all: those that are it even as some of all comparisons here, by Holm's "
      "correction");
  if (std::ranges::any_of(scores, &Score::provisional))
    notes.emplace_back("provisional: timed with --quick, two launches, which prove nothing");
  for (const Score& score : scores)
    if (score.limited > 0)
      notes.push_back(fmt::format("{}: {} beyond {}x, which counts as that in means",
                                  of_whom(score), format_count(score.limited, "speed-up"),
                                  kMostInMean));
  return notes;
}

}  // namespace assay
