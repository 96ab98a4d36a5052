// What a candidate computed beside what the baseline computed and what is exact, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/tensor.h"

namespace assay {

// Dense arrays of `elements` each. Aligned for nothing in particular.
struct Values {
  Dtype dtype = Dtype::f32;  // of candidate and baseline
  uint64_t elements = 0;
  const std::byte* candidate = nullptr;
  const std::byte* baseline = nullptr;
  const std::byte* exact = nullptr;  // the result in double, not rounded
  Dtype exact_dtype = Dtype::f64;    // or, for results of whole numbers, a type of those
};

// One element, for people.
struct Sample {
  uint64_t index = 0;  // flat, row-major
  double candidate = 0, baseline = 0, exact = 0;
};

// How far the exact result moves when the inputs move by one rounding, and what the baseline is off
// by on inputs a few roundings away: what no computation at this precision can be blamed for. Where
// results cancel to nearly nothing, or hang on which of two sums is larger, the baseline's own
// error may be 0 by luck; this tells that from a candidate that is wrong.
struct Sensitivity {
  double rms = 0, max = 0;
  double baseline_rms = 0, baseline_max = 0;
  uint64_t gross = 0;    // elements that move grossly, as `Figures::gross`
  uint64_t unequal = 0;  // of whole numbers: that become others

  // Each is the larger of both.
  void widen(const Sensitivity& other);
};

// To which sides results are off. Rounding to the nearest goes as often to one as to the other.
struct Sides {
  uint64_t off = 0;     // elements that are not exact
  uint64_t inward = 0;  // of those: towards 0
  uint64_t up = 0;      // of those: too large

  // The part of them that is off to one side; 0 where none is.
  double most() const;
  void add(const Sides& more);
};

struct Figures {
  Dtype dtype = Dtype::f32;
  uint64_t elements = 0;

  // Of elements that are not finite. Only the others, `compared`, have errors.
  uint64_t compared = 0;
  uint64_t left_out = 0;    // baseline and exact result differ in being finite: nothing to hold to
  uint64_t dropped = 0;     // NaN or infinite exactly, and in the candidate something else
  uint64_t exchanged = 0;   // of those: NaN for infinity, or infinity for NaN
  uint64_t spread = 0;      // finite exactly and in the baseline, NaN or infinite in the candidate
  uint64_t spread_nan = 0;  // of those: NaN
  std::optional<Sample> first_dropped, first_spread;

  // Root mean squares and maxima of |exact|, and of errors against exact.
  double exact_rms = 0, exact_max = 0;
  double candidate_rms = 0, candidate_max = 0, candidate_mean = 0;  // of magnitudes
  double baseline_rms = 0, baseline_max = 0;
  Sample worst;  // where |candidate - exact| is largest
  Sides candidate_sides, baseline_sides;

  // Elements that are not the exact result rounded once. Of whole numbers: that are not it.
  uint64_t unequal = 0, baseline_unequal = 0;
  std::optional<Sample> first_unequal;

  // Elements whose error is gross beside themselves: a result may be small beside others, and is
  // still to be right. Of floating-point results only.
  uint64_t gross = 0, baseline_gross = 0;

  // Elements beyond the tolerances that others use, against the baseline. Never decide.
  uint64_t beyond_kernelbench = 0, beyond_torch = 0;
  uint64_t beyond_not_finite = 0;  // of beyond_kernelbench, where something is not finite
};

Figures compare(const Values& values);

// How far the baseline is off.
Sensitivity baseline_error(const Figures& figures);

// Gives `to` the errors of the baseline that `from` has.
void keep_baseline(const Figures& from, Figures& to);

// The same of values that come in pieces, in order.
class OutputComparison {
 public:
  // Of values and exact values of these types.
  OutputComparison(Dtype dtype, Dtype exact_dtype);
  OutputComparison(OutputComparison&&) noexcept;
  ~OutputComparison();
  void add(const Values& piece);
  Figures figures() const;

 private:
  class Sums;
  std::unique_ptr<Sums> sums_;
};

// How an error is measured. `close`: for half precision, where sums are kept in more, so that
// honest kernels are off by the rounding of a few results, and inputs that move by one of their own
// coarse steps move results by more than that.
enum class Measure { usual, close };

// Errors relative to the baseline's. Neither is taken as less than one rounding of the result
// makes, or than the sensitivity where that is known. Finite.
struct Ratios {
  double rms = 0, max = 0;
  double rms_unit = 0, max_unit = 0;  // the errors that they are relative to
};
Ratios ratios(const Figures& figures, const Sensitivity& sensitivity = {},
              Measure measure = Measure::usual);

// The first element whose error is above `limit`, or whose finiteness differs.
std::optional<Sample> first_beyond(const Values& values, double limit);

// The first element whose error is gross where the baseline's is not.
std::optional<Sample> first_gross(const Values& values);

// Of two results in double, where both are finite, of what is `dtype` in the candidate; in pieces.
class SensitivitySums {
 public:
  explicit SensitivitySums(Dtype dtype) : dtype_(dtype) {}
  void add(const double* exact, const double* of_perturbed, uint64_t elements);
  Sensitivity sensitivity() const;

 private:
  Dtype dtype_;
  double squares_ = 0, max_ = 0;
  int power_ = 0;  // the sum of squares is squares_ * 4^power_
  uint64_t compared_ = 0, gross_ = 0;
};

Sample sample(const Values& values, uint64_t index);

}  // namespace assay
