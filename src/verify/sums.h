// Some elements of results that are sums, exactly, and the bound that they are held to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sum_shape.h"
#include "verify/families.h"
#include "verify/random.h"

namespace assay {

struct Sums : SumShape {
  const std::byte* a_data = nullptr;
  const std::byte* b_data = nullptr;  // null: of elements of A alone
};

// Elements at the crossings of some places of each dimension, the first and the last among them.
struct SampledSums {
  std::vector<uint64_t> places;   // flat indices in the result
  std::vector<double> exact;      // rounded to double; for f64 worked out with more bits
  std::vector<double> magnitude;  // the same of the magnitudes of what is summed: |A| |B|
};
// About so many, and fewer of very long sums: two of each dimension at least.
SampledSums sample_sums(const Sums& sums, const RandomStream& stream, int64_t wanted = 1024);

// The sampled elements of a result, packed.
std::vector<std::byte> pick(Dtype result, const std::byte* from,
                            const std::vector<uint64_t>& places);

// How many roundings of |A| |B| a sum of k may be off by, in whatever order it is formed: 4 sqrt(k)
// of terms that differ, whose errors are of either sign, as far as chance goes. Where they are
// (nearly) the same, errors add up: k of them, which none exceeds but for their squares.
double roundings_of(int64_t k, Family family);

// The component-wise bound: how many packed elements are further from the exact result than so many
// roundings, for sums of k, whatever the baseline does. Elements that are not finite, or should not
// be, have no error and are not counted.
struct BeyondBound {
  uint64_t held = 0;   // elements that were held to it
  uint64_t count = 0;  // beyond it
  double most = 0;     // the largest error, as a part of its bound
  // With count > 0: the largest error beyond; and the first, its place among the samples and bound.
  double error = 0;
  uint64_t first = 0;
  double bound = 0;
};
BeyondBound beyond_bound(const SampledSums& sampled, Dtype result, int64_t k, Family family,
                         const std::byte* packed);

// So many of [0, count), ascending, the first and the last among them.
std::vector<int64_t> some_of(int64_t count, int64_t wanted, const RandomStream& stream);

// A sum, and that of its terms' magnitudes.
struct Dot {
  double exact = 0, magnitude = 0;
};
// Of products, which of all types but f64 are exact in double; f64 is summed with more bits.
Dot dot(Dtype dtype, const std::vector<double>& a, const std::vector<double>& b);

}  // namespace assay
