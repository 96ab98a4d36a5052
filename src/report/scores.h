// How good authors are: the numbers that people compare, of attempts that were to be timed.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"

namespace assay {

inline constexpr std::array kFastThresholds{0.0, 0.5, 0.8, 1.0, 1.5, 2.0};

// fast_p: the share of planned problems, 0 to 1, whose candidate is right and more than `threshold`
// times as fast as the baseline. At 0 the times do not matter.
struct FastShare {
  double threshold = 0;
  double by_estimate = 0;
  double by_low = 0;  // the interval lies above it
};

// What to expect of k candidates of an author that handed in several.
struct AtK {
  size_t k = 1;
  double pass = 0;  // at least one is right: pass@k
  double best = 1;  // geometric mean, over problems, of the fastest one's speed-up: best@k
};

// One author on one level, or a suite of several, and target, against one baseline. Where a problem
// has several candidates, each counts for its part: shares and means are over problems.
struct Score {
  bool is_timed() const { return !baseline.empty(); }
  std::string level, author, target, baseline;
  size_t problems = 0, candidates = 0;                                   // that were planned
  size_t correct = 0;                                                    // accepted candidates
  size_t faster = 0, equal = 0, slower = 0, undecided = 0, untimed = 0;  // of those
  // Of the faster ones: those that still are, seen as some of all comparisons of the report.
  size_t faster_among_all = 0;
  bool provisional = false;       // a time among them is
  std::vector<FastShare> fast{};  // one for each threshold
  // Of speed-ups: over the candidates that are right and have one that can be used; and over all
  // that was planned, where whatever has none counts as 1.0x.
  size_t in_mean = 0;
  std::optional<double> geometric_mean;
  double geometric_mean_of_all = 1;
  size_t limited = 0;     // speed-ups beyond what counts in a mean (kMostInMean)
  std::vector<AtK> at_k;  // empty where no problem has several candidates
};

// Of every level of a suite and target of which something was timed, of the suite as a whole where
// it has several, and every baseline there, each author that was planned. A level on which nothing
// was right enough to be timed counts as any other. Where nothing was timed, of each author that
// hands in several candidates for a problem, without a baseline: how often one of k is right.
// `ks`: of which k, as far as somebody has as many candidates; without, 1, 2, 4 and so on, and all.
std::vector<Score> scores_of(const std::vector<Attempt>& attempts, std::span<const size_t> ks = {},
                             std::span<const double> thresholds = kFastThresholds);

Json to_json(const Score& score);

}  // namespace assay
