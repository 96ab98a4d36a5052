// What is known, without its values, of a result whose elements are sums: of products of elements
// of two inputs, or of elements of one.
#pragma once

#include <cstdint>
#include <vector>

#include "model/product_shape.h"
#include "model/tensor.h"

namespace assay {

// How often it is gone through, and how many elements further each step is in the inputs.
struct SumLoop {
  int64_t size = 1;
  int64_t in_a = 0, in_b = 0;

  bool operator==(const SumLoop&) const = default;
};

struct SumShape {
  std::vector<SumLoop> over{};    // the dimensions of the result, in order
  std::vector<SumLoop> summed{};  // of each of its elements
  std::vector<int64_t> a{}, b{};  // shapes of the inputs; b empty: the elements of A are summed
  bool is_mean = false;           // the sum is divided by the number of what it is of
  Dtype dtype = Dtype::f32;       // of A and B
  Dtype result = Dtype::f32;      // both floating, or both whole numbers

  bool operator==(const SumShape&) const = default;
};

// What each element is a sum of so many of.
inline int64_t terms_of(const SumShape& sum) {
  int64_t terms = 1;
  for (const SumLoop& loop : sum.summed) terms *= loop.size;
  return terms;
}

// The same product, said as a sum; or, above 0, so many of them that lie one behind the other.
SumShape sum_of(const ProductShape& product, int64_t batch = 0);

}  // namespace assay
