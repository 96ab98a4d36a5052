// From the ratios of launches to what may be said of them.
//
// A launch is one pair of processes; its ratio is the median over its windows. Within a launch
// windows share an address layout and a moment, so intervals are over launches. With the same
// program on both sides the sign of a launch's ratio is a fair coin (sides and orders are drawn),
// so the interval between the r-th smallest and the r-th largest of L launches misses no
// difference with probability 2 P(Bin(L, 1/2) < r), whatever the distribution.
#pragma once

#include <optional>
#include <span>

#include "model/timing.h"

namespace assay {

// After so many launches it may be decided: by the interval between the rank-th smallest and the
// rank-th largest.
struct Look {
  int launches = 0;
  int rank = 0;
};
// Together they find a difference where there is none in at most 4.42 % of comparisons, before the
// dead band.
inline constexpr Look kLooks[] = {{6, 1}, {12, 2}, {24, 6}};

// Of the look that was last, after so many launches; between looks the time may be up.
int rank_after(int launches);

// Whether it is looked at after so many launches. `least`: launches before the first look, no fewer
// than kLooks has.
bool is_look(int launches, int least);

// How often a look finds a difference where there is none.
double false_alarm(Look look);

// How often one that is no faster comes out as faster by so many launches: at a look, or at the
// end, where the time was up between two.
double chance_of_faster(int launches, int least);

// Of all comparisons that are reported together: to find any difference that is none is wrong in at
// most so many reports, by Holm's correction.
inline constexpr double kFamilyAlpha = 0.05;

// Differences up to here are none: ln of a ratio of times. Of programs that differ in nothing that
// matters one may be this much faster, by where its code comes to lie.
inline constexpr double kDeadBand = 0.01;

// Of ln(time of the baseline / time of the candidate): above 0 the candidate is faster.
struct Interval {
  double low = 0, estimate = 0, high = 0;
};

// At least one launch. Rank 0 is as 1.
Interval interval_of(std::span<const double> launches, int rank);

// What an interval shows; nothing: it shows none of them.
std::optional<Outcome> decided(const Interval& interval);

// The middle of the values, between two of them where they are even in number. At least one.
double median(std::span<const double> values);
// The value below which so much of all lies, 0 to 1; one of them.
double quantile(std::span<const double> values, double part);

}  // namespace assay
