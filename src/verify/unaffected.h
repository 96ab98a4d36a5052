// Elements that are NaN though they do not depend on any: 0 times NaN is NaN, and a kernel need not
// read what lies beside a diagonal or behind a mask. What such an element does not depend on shows
// when there are finite numbers in those places.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/compare.h"

namespace assay {

// One floating-point result of a round with values that are not finite, beside the same with
// several choices of finite numbers in some of their places.
class Unaffected {
 public:
  // The first choice: its exact and its baseline's result, as Values has them. Copied.
  Unaffected(const Values& values, const std::byte* exact, const std::byte* baseline);
  // Another choice.
  void add(const std::byte* exact);
  // Whether any element depends on the choice. A result of which none does is a constant: it shows
  // that its problem heeds its inputs by being NaN, and by nothing else.
  bool some_are_affected() const { return some_are_affected_; }

  // Where the candidate has a number and the exact result is NaN, though it is the same number for
  // all choices: those of the first become `exact` and `baseline`, which are what `values` points
  // to. Returns for how many elements.
  uint64_t take_over(const Values& values, std::byte* exact, std::byte* baseline) const;

 private:
  std::vector<double> exact_;
  std::vector<std::byte> baseline_;
  std::vector<bool> same_;
  bool some_are_affected_ = false;
};

}  // namespace assay
