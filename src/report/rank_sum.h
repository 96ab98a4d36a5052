// Two samples compared by the order of their values alone, exactly (Mann, Whitney 1947), and many
// such comparisons at once (Holm 1979). Pure functions.
#pragma once

#include <span>
#include <vector>

#include "measure/interval.h"

namespace assay {

// If both samples were drawn from one distribution, whatever it is: how often `low` would lie as
// far below `high` as it does. By the number of pairs of values that are not in that order, over
// all orders of the values; equal values count as not in it, so that it is never too small. Both
// have a value.
double chance_of_so_low(std::span<const double> low, std::span<const double> high);

// How far `b` lies above `a`: between ranked differences of their values. The truth lies outside in
// at most `alpha` of all cases, whatever the distribution, if they differ in where they lie alone.
// Where the samples are too small for that, it ends at the extremes all the same.
Interval shift_between(std::span<const double> a, std::span<const double> b, double alpha);

// Adjusted so that to call every comparison found whose value is at most alpha is wrong of any one
// of them in at most alpha of all cases, however they depend on each other. In their order.
std::vector<double> holm_adjusted(std::span<const double> chances);

}  // namespace assay
