// What a candidate may have gained by making the baseline slower.
#pragma once

#include <string_view>

#include "measure/measure.h"

namespace assay {

// Both ln of a ratio, by which the candidate seems faster than it would be otherwise; 0: launches
// do not show that, or nobody asks.
struct Slowed {
  double estimate = 0;
  double most = 0;          // with that, nobody is too fast
  std::string_view when{};  // "the baseline loses ... more"
};

// Of two launches, and of a candidate that is slower all the same, nobody asks.
Slowed slowed_baseline(const Measured& measured, const Duel& duel, Outcome outcome);

// Without all that: what is published holds where the baseline is left alone.
Interval without_gain(const Interval& interval, const Slowed& slowed);

}  // namespace assay
