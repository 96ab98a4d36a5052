// NaN and infinity behind a product of matrices or a convolution: algorithms for those mix what the
// definition keeps apart (Winograd, transforms, numbers in parts). How far they may, and what the
// problem makes of it, the oracle computes (python/assay_worker/spreading.py).
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/compare.h"

namespace assay {

// Of floating-point results. `of_spread`: the exact result where NaN stands wherever a factor of a
// product is not finite. Where the exact result is infinite or NaN, the candidate the other of
// these, and NaN is in `of_spread`, the candidate's becomes `exact` and `baseline`, which are what
// `values` points to. Returns for how many elements.
uint64_t take_over_kinds(const Values& values, const std::byte* of_spread, std::byte* exact,
                         std::byte* baseline);

// The same where the exact result is finite, the candidate's is not, and nor is that in
// `of_spread`: the exact result where NaN stands beside the rest of a convolution.
uint64_t take_over_places(const Values& values, const std::byte* of_spread, std::byte* exact,
                          std::byte* baseline);

// Of results that are indices, or made of such: what is picked from nothing but NaN is another than
// what is picked from infinities. Where the candidate has what `of_spread` has, that becomes
// `exact`.
uint64_t take_over_picks(const Values& values, double largest, const std::byte* of_spread,
                         std::byte* exact);

}  // namespace assay
