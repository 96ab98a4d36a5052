// Values that stand out of the others of a tensor: those of families `spike` and `nonfinite`.
#pragma once

#include <cstddef>

#include "model/tensor.h"
#include "verify/random.h"

namespace assay {

// Of family `nonfinite`: finite numbers in the places of some that are not. Of all magnitudes, so
// that nothing which depends on them is the same for all choices: large ones of either sign, small
// ones, 0, and random ones.
struct FiniteChoice {
  static constexpr unsigned kNan = 1, kUp = 2, kDown = 4, kAll = 7;
  unsigned kinds = 0;  // that are replaced
  int kept = -1;       // but for this one, by the order in which they are put
  int choice = 0;
};
inline constexpr int kFiniteChoices = 10;

// A few values of +-3e4, of f16 1e3, the last element among them.
void put_spikes(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor);

// A few NaN, +Inf and -Inf, the last element among them, and one NaN inside; or numbers instead.
void put_nonfinite(const TensorSpec& spec, const FiniteChoice& finite, const RandomStream& stream,
                   std::byte* tensor);

}  // namespace assay
