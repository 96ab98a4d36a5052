// What the windows of a measurement come to: pure functions over their records.
#pragma once

#include <optional>
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
  // What is the judge's own in windows that count, as parts of one: medians. What a window costs in
  // which nothing is called, and what is done beside calls in Python.
  double null_candidate = 0, null_baseline = 0;
  // Of the baseline's windows, what is done beside its calls and not beside the candidate's: where
  // one is in Python and the other is not, or IREE's.
  double beside_baseline = 0;
  // Pairs in which the clock of a side did not move, or two clocks disagree; they are none of the
  // above.
  int invalid = 0;
};

// One call alone, beside several in one window; without what a window itself costs. Who computes
// several calls at once, or ahead, gains that only where there are several.
struct Singles {
  std::vector<double> gained;  // ln(ratio of times in windows of several / of one), by launch
  double gain_ns = 0;          // of one call, in windows of several: the baseline's time less the
                               // candidate's, the median over launches
  double single_gain_ns = 0;   // the same of one call alone, less what is done around it besides
};

// The candidate against one baseline.
struct DuelFigures {
  SpeedRatios cpu, wall;
  const SpeedRatios& by(Metric metric) const { return assay::by(metric, cpu, wall); }
  // ln of the ratio, less that of the times of both alone, by launch: what the candidate may have
  // gained by slowing the baseline. Of launches that have windows alone.
  std::vector<double> interference;
  // Windows alone, of both, and those of them whose clocks disagree, which are left out there.
  int alone = 0, alone_invalid = 0;
  // Where windows have several calls, of launches that have windows of one call too.
  std::optional<Singles> singles;
  // Median CPU time in windows around one that is compared, without what runners do there
  // themselves: of the candidate, less the baseline's;
  // of pairs, of windows of one side alone, or of those of one call, where it is the most.
  double around_ns = 0;
  // Both sides have such windows: where one has none, they cannot be compared.
  bool is_around_alike = false;
};

// `side`: the baseline's; `metric`: the clock that decides.
DuelFigures duel_figures(std::span<const WindowRecord> windows, int side, Metric metric);

// ln: how much longer a window seems than what is called in it, where such a part of it is its own
// cost. Infinite where all of it is.
double window_cost(double part);

// The interval, made wider by what the windows themselves may cost: the truth of both programs
// without it lies between. Ends at ln 1e6 where a window is nothing but its own cost. The estimate
// is without what only the baseline's windows have.
Interval with_window_costs(const Interval& interval, const SpeedRatios& ratios);

// Whether no ratio that the interval leaves open would be decided, however well it were known:
// windows cost too much. Further launches are in vain then.
bool is_beyond_resolution(const Interval& interval, const SpeedRatios& ratios);

// What a candidate may have gained by slowing the baseline: ln of a ratio.
struct Gain {
  double estimate = 0;    // not below 0
  bool is_shown = false;  // by the launches, to be more than no difference
};
Gain gain_of(std::span<const double> interference);
// The interval without it. Who is faster is so without all that it may have gained; of others, only
// what is shown is taken off: it may be chance.
Interval without_gain(const Interval& interval, const Gain& gain);
// Both: what may be said of who is faster.
Interval charged(const Interval& interval, const DuelFigures& figures, Metric metric);

// Of one call of a side, over all windows that count.
Times times_of(std::span<const WindowRecord> windows, int side, Metric metric);

// One call of a side, by each window that counts and is valid, less what a window costs by itself.
struct CallTimes {
  std::vector<double> ns;
  int calls = 1;         // in each window
  double window_ns = 0;  // the median of windows in which nothing is called
};
CallTimes call_times(std::span<const WindowRecord> windows, int side, Metric metric);

// CPU time of a side's first call in a process, which no window shares with others: the median over
// launches.
double first_call_ns(std::span<const WindowRecord> windows, int side);

}  // namespace assay
