// Elements of a result that jump: rounding, comparing and routing make another number of an input
// that is a rounding away. One such element tells nothing of a candidate, and is no matter of
// statistics where there are few.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/compare.h"

namespace assay {

// So many elements of a result may jump: more are no exceptions.
uint64_t most_jumps(uint64_t elements);

// `of_near`: the exact result of inputs that are a few roundings away, as values.exact has it.
// Where that jumps to what the candidate has, but for half of the bits, `exact`, which is what
// values.exact points to, becomes it: the candidate is held to that from now on. `largest`: of
// |exact|. What has moved by_order is another element, and not the same a little further: then all
// is taken over that is off by more than a result may be. Returns how many elements were taken
// over: none where there are more than `most`.
uint64_t take_over_jumps(const Values& values, double largest, const std::byte* of_near,
                         bool by_order, std::byte* exact, uint64_t most);

// How many elements are others, by more than a result may be off, where equal elements came in the
// order of `of_near`.
uint64_t count_moved(const Values& values, double largest, const std::byte* of_near);

}  // namespace assay
