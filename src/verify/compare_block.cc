#include "verify/compare_block.h"

#include <cstring>

#include "verify/clones.h"

namespace assay {
namespace {

constexpr uint64_t kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Counts = int64_t __attribute__((vector_size(kLanes * sizeof(int64_t))));

ASSAY_INLINE void load(Lanes& lanes, const double* from) {
  std::memcpy(&lanes, from, sizeof(lanes));
}

ASSAY_INLINE void magnitude(Lanes& result, const Lanes& value) {
  result = reinterpret_cast<const Lanes&>(value);
  auto bits = reinterpret_cast<Counts>(value) & INT64_MAX;
  result = reinterpret_cast<Lanes>(bits);
}

ASSAY_INLINE void keep_larger(Lanes& most, const Lanes& value) {
  most = value > most ? value : most;
}

// In a fixed order: the sum is the same in every clone.
ASSAY_INLINE double total(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

ASSAY_INLINE double largest(const Lanes& lanes) {
  double most = lanes[0];
  for (uint64_t i = 1; i < kLanes; ++i) most = lanes[i] > most ? lanes[i] : most;
  return most;
}

// A comparison gives -1 where it holds.
ASSAY_INLINE uint64_t total(const Counts& counts) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < kLanes; ++i) sum -= counts[i];
  return static_cast<uint64_t>(sum);
}

}  // namespace

ASSAY_CLONES BlockSums sum_up(const Block& block, uint64_t count, const Tolerances& tolerances) {
  Lanes exact_sum{}, candidate_sum{}, baseline_sum{}, odd{}, magnitudes{};
  Lanes exact_max{}, candidate_max{}, baseline_max{};
  Counts unequal{}, baseline_unequal{}, beyond_kernelbench{}, beyond_torch{};
  Counts gross{}, baseline_gross{};
  Counts off{}, inward{}, up{}, baseline_off{}, baseline_inward{}, baseline_up{};
  for (uint64_t i = 0; i < count; i += kLanes) {
    Lanes c, b, e, r, size;
    load(c, block.candidate + i);
    load(b, block.baseline + i);
    load(e, block.exact + i);
    load(r, block.rounded + i);
    odd += (c - c) + (b - b) + (e - e);
    exact_sum += e * e;
    magnitude(size, e);
    keep_larger(exact_max, size);
    const Counts may_be_gross = size >= tolerances.gross_least;
    const Lanes most = tolerances.gross * size;
    Lanes error = c - e;
    candidate_sum += error * error;
    off += error != 0;
    inward += error * e < 0;
    up += error > 0;
    magnitude(size, error);
    magnitudes += size;
    keep_larger(candidate_max, size);
    gross += (size > most) & may_be_gross;
    error = b - e;
    baseline_sum += error * error;
    baseline_off += error != 0;
    baseline_inward += error * e < 0;
    baseline_up += error > 0;
    magnitude(size, error);
    keep_larger(baseline_max, size);
    baseline_gross += (size > most) & may_be_gross;
    unequal += c != r;
    baseline_unequal += b != r;
    Lanes apart;
    magnitude(apart, c - b);
    magnitude(size, c);
    beyond_kernelbench += apart > tolerances.kernelbench + tolerances.kernelbench * size;
    magnitude(size, b);
    beyond_torch += apart > tolerances.torch_absolute + tolerances.torch_relative * size;
  }
  BlockSums sums;
  sums.exact = total(exact_sum);
  sums.candidate = total(candidate_sum);
  sums.baseline = total(baseline_sum);
  sums.candidate_magnitudes = total(magnitudes);
  sums.exact_max = largest(exact_max);
  sums.candidate_max = largest(candidate_max);
  sums.baseline_max = largest(baseline_max);
  sums.unequal = total(unequal);
  sums.baseline_unequal = total(baseline_unequal);
  sums.gross = total(gross);
  sums.baseline_gross = total(baseline_gross);
  sums.candidate_sides = {total(off), total(inward), total(up)};
  sums.baseline_sides = {total(baseline_off), total(baseline_inward), total(baseline_up)};
  sums.beyond_kernelbench = total(beyond_kernelbench);
  sums.beyond_torch = total(beyond_torch);
  double any = total(odd);
  sums.odd = any != any;
  return sums;
}

}  // namespace assay
