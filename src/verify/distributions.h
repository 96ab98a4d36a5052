// Random words to numbers of a distribution, the same bits on every machine: no function of the C
// library takes part whose last bit is its own affair.
#pragma once

#include <cstdint>
#include <span>

#include "verify/random.h"

namespace assay {

// Elements [first, first + size) of a stream's numbers in [0, 1), with `bits` (at most 53) bits
// each.
void uniform(const RandomStream& stream, uint64_t first, int bits, std::span<double> out);
// Of the normal distribution with mean 0 and variance 1; none is beyond 6.8.
void normal(const RandomStream& stream, uint64_t first, std::span<double> out);
// Whole numbers in [low, low + count), for count > 0.
void integers(const RandomStream& stream, uint64_t first, int64_t low, uint64_t count,
              std::span<int64_t> out);

}  // namespace assay
