// Checking C = A B at a cost of n^2: random vectors through both sides, and some elements exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/product_shape.h"
#include "verify/compare.h"
#include "verify/random.h"

namespace assay {

struct Product : ProductShape {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
};

// Freivalds' check. C x and A (B x) are compared for secret vectors x, the same for a candidate and
// its baseline.
//
// Floating types: 4 normal vectors. The mean square of a row of the residual is that of the row's
// errors, so the errors are measured, not only seen. An element that is off by less than the
// rounding errors of its row together is not seen, nor, of f64, what is a few roundings: that is
// what sampled elements are for. Whole numbers: 2 vectors of random 64-bit words, modulo 2^64. A
// row that is wrong looks right with a probability below 2^-60.
//
// A row of A that has NaN or infinity says nothing, and nor does such a column of B: both are left
// out, and so are rows of C that are not finite elsewhere.
class Probes {
 public:
  // `whole`: the values are whole numbers, though of a floating type, and so is the result.
  Probes(const Product& product, const RandomStream& stream, int threads, bool whole = false);
  ~Probes();
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  // Figures of a candidate's C beside the baseline's, to be judged as those of compare(): maxima
  // are over rows, of a row's root mean square. Of whole numbers, rows count as unequal. The sample
  // is an element of the worst row, worked out exactly if the candidate is suspect.
  Figures check(const std::byte* candidate, const std::byte* baseline) const;

  // How far the exact result moves when A and B become those of `moved`, as root mean square.
  double moved_by(const Product& moved) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Elements at the crossings of some rows and columns, the first and the last among them, exactly.
struct SampledProduct {
  std::vector<uint64_t> places;   // flat indices in C
  std::vector<double> exact;      // rounded to double; for f64 worked out with more bits
  std::vector<double> magnitude;  // |A| |B| there
};
SampledProduct sample_product(const Product& product, const RandomStream& stream, int64_t rows = 32,
                              int64_t columns = 32);

// Some rows of C whole, the first and the last among them, in double: of f64 no better than C.
struct ExactRows {
  std::vector<int64_t> rows;
  std::vector<double> exact;  // row by row
};
ExactRows exact_rows(const Product& product, const RandomStream& stream, int64_t rows, int threads);

// One element of C, as those of SampledProduct.
double exact_element(const Product& product, uint64_t place);

// The largest sum of the magnitudes of a row of A times the largest magnitude of B: no part of any
// sum is larger, in whatever order.
double largest_sum(const Product& product);

// The sampled elements of C, packed.
std::vector<std::byte> pick(Dtype result, const std::byte* c, const std::vector<uint64_t>& places);

// The component-wise bound: how many packed elements are further from the exact result than
// 4 sqrt(k) u |A| |B|, which holds for any order of summation, whatever the baseline does. Elements
// that are not finite, or should not be, have no error and are not counted.
struct BeyondBound {
  uint64_t held = 0;   // elements that were held to it
  uint64_t count = 0;  // beyond it
  double most = 0;     // the largest error, as a part of its bound
  // With count > 0: the largest error beyond; and the first, its place among the samples and bound.
  double error = 0;
  uint64_t first = 0;
  double bound = 0;
};
BeyondBound beyond_bound(const SampledProduct& sampled, Dtype result, int64_t k,
                         const std::byte* packed);

}  // namespace assay
