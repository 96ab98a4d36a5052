// Whether results are the same, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/tensor.h"

namespace assay {

// Elements whose bits differ, NaN being equal to NaN.
struct BitDifference {
  uint64_t count = 0;
  uint64_t first = 0;  // flat index, with count > 0
};
BitDifference difference(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b);

// A hash of the elements, the same where difference() finds none.
std::string digest(Dtype dtype, uint64_t elements, const std::byte* values);

}  // namespace assay
