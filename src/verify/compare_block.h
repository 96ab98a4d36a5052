// The inner loop of compare(): a block of finite numbers, in double.
#pragma once

#include <cstdint>

#include "verify/compare.h"
#include "verify/elements.h"

namespace assay {

// How near candidate and baseline must be for others: |c - b| <= absolute + relative * |...|.
struct Tolerances {
  double kernelbench = 0;                         // both parts; relative to the candidate
  double torch_relative = 0, torch_absolute = 0;  // relative to the baseline
  // An error is gross beyond this part of the exact element; below `gross_least` none is.
  double gross = 0, gross_least = 0;
};

// The elements beyond `count` up to the next multiple of 8 are to be 0.
struct alignas(64) Block {
  double candidate[kBlockElements];
  double baseline[kBlockElements];
  double exact[kBlockElements];
  double rounded[kBlockElements];  // exact, rounded to the type
};

struct BlockSums {
  double exact = 0, candidate = 0, baseline = 0;              // of squares
  double candidate_magnitudes = 0;                            // the sum of |candidate - exact|
  double exact_max = 0, candidate_max = 0, baseline_max = 0;  // of magnitudes
  uint64_t unequal = 0, baseline_unequal = 0;
  uint64_t gross = 0, baseline_gross = 0;
  Sides candidate_sides, baseline_sides;
  uint64_t beyond_kernelbench = 0, beyond_torch = 0;
  bool odd = false;  // something is NaN or infinite: nothing else here holds
};

BlockSums sum_up(const Block& block, uint64_t count, const Tolerances& tolerances);

}  // namespace assay
