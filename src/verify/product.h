// Checking C = A B at a cost of n^2: random vectors through both sides, and some elements exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/product_shape.h"
#include "verify/compare.h"
#include "verify/random.h"
#include "verify/sums.h"

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

// The same product as sums, of which some are worked out exactly.
Sums sums_of(const Product& product);

// Some rows of C whole, the first and the last among them, in double: of f64 no better than C.
struct ExactRows {
  std::vector<int64_t> rows;
  std::vector<double> exact;  // row by row
};
ExactRows exact_rows(const Product& product, const RandomStream& stream, int64_t rows, int threads);

// One element of C, as those of SampledSums.
double exact_element(const Product& product, uint64_t place);

// The largest sum of the magnitudes of a row of A times the largest magnitude of B: no part of any
// sum is larger, in whatever order.
double largest_sum(const Product& product);

}  // namespace assay
