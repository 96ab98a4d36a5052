// What the windows of a measurement come to: pure functions over their records.
#pragma once

#include <span>
#include <vector>

#include "measure/interval.h"
#include "model/timing.h"
#include "model/window_record.h"

namespace assay {

// Of one metric. All are ln(time of the baseline / time of the candidate), above 0: faster.
struct SpeedRatios {
  std::vector<double> pairs;     // of all launches
  std::vector<double> launches;  // the median of each launch's
  // What a window in which nothing is called costs, as a part of one that counts: medians.
  double null_candidate = 0, null_baseline = 0;
  // Pairs in which the clock of a side did not move, or two clocks disagree; they are none of the
  // above.
  int invalid = 0;
};

// The candidate against one baseline.
struct DuelFigures {
  SpeedRatios cpu, wall;
  const SpeedRatios& by(Metric metric) const { return metric == Metric::cpu ? cpu : wall; }
  // ln(the baseline's time among others / alone), by launch.
  std::vector<double> interference;
};

// `side`: the baseline's.
DuelFigures duel_figures(std::span<const WindowRecord> windows, int side);

// ln: how much longer a window seems than what is called in it, where such a part of it is its own
// cost. Infinite where all of it is.
double window_cost(double part);

// The interval, made wider by what the windows themselves may cost: the truth of both programs
// without it lies between. Ends at ln 1e6 where a window is nothing but its own cost.
Interval with_window_costs(const Interval& interval, const SpeedRatios& ratios);

// Of one call of a side, over all windows that count.
Times times_of(std::span<const WindowRecord> windows, int side, Metric metric);

}  // namespace assay
