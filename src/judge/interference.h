// What a candidate may have gained by making the baseline slower.
#pragma once

#include <optional>
#include <string_view>

#include "judge/rule.h"

namespace assay {

struct Slowed {
  double by = 0;          // ln of the baseline's times with and without
  std::string_view when;  // "the baseline takes longer ..."
};

// Nothing where launches do not show it, where it is little, and of a candidate that is slower all
// the same. It is taken off the lower end of the interval: what is published holds without it.
std::optional<Slowed> slowed_baseline(const SpeedComparison& comparison);

}  // namespace assay
