#include "verify/mixing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

constexpr double kMixedNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMixedInfinity = std::numeric_limits<double>::infinity();

struct Mixed {
  std::vector<double> exact, baseline, candidate;

  Values values() const {
    return {.dtype = Dtype::f64,
            .elements = exact.size(),
            .candidate = bytes(candidate),
            .baseline = bytes(baseline),
            .exact = bytes(exact)};
  }
  static const std::byte* bytes(const std::vector<double>& of) {
    return reinterpret_cast<const std::byte*>(of.data());
  }
  static std::byte* bytes(std::vector<double>& of) {
    return reinterpret_cast<std::byte*>(of.data());
  }
  // Elements that hold against the candidate afterwards.
  uint64_t left() const {
    const Figures figures = compare(values());
    return figures.dropped + figures.spread;
  }
};

Mixed with_candidate(const std::vector<double>& exact, std::vector<double> candidate) {
  return {exact, exact, std::move(candidate)};
}

TEST(Mixing, OneKindMayBeTheOtherWhereAFactorIsNotFinite) {
  const std::vector<double> of_spread{kMixedNan, kMixedNan, kMixedInfinity,
                                      kMixedNan, 0,         kMixedNan};
  Mixed mixed = with_candidate({kMixedInfinity, kMixedNan, kMixedInfinity, 1, 0, kMixedInfinity},
                               {kMixedNan, -kMixedInfinity, kMixedNan, kMixedNan, kMixedNan, 5});
  EXPECT_EQ(take_over_kinds(mixed.values(), Mixed::bytes(of_spread), Mixed::bytes(mixed.exact),
                            Mixed::bytes(mixed.baseline)),
            2u);
  EXPECT_EQ(mixed.left(), 4u) << "one behind a guard, two that are finite, one that was dropped";
}

TEST(Mixing, WhatIsFiniteMayBeNanBesideTheRestOfAConvolution) {
  const std::vector<double> of_spread{kMixedNan, 1, kMixedNan, kMixedNan};
  Mixed mixed = with_candidate({1, 1, 1, kMixedNan}, {kMixedNan, kMixedNan, 1, kMixedInfinity});
  EXPECT_EQ(take_over_places(mixed.values(), Mixed::bytes(of_spread), Mixed::bytes(mixed.exact),
                             Mixed::bytes(mixed.baseline)),
            1u);
  EXPECT_EQ(mixed.left(), 2u);
}

TEST(Mixing, WhatIsPickedIsPickedFromWhatWasSpreadOrNot) {
  std::vector<int64_t> exact{3, 4, 5, 6}, candidate{0, 4, 1, 6};
  const std::vector<int64_t> of_spread{0, 0, 0, 6};
  Values values{.dtype = Dtype::i64,
                .elements = 4,
                .candidate = reinterpret_cast<const std::byte*>(candidate.data()),
                .baseline = reinterpret_cast<const std::byte*>(exact.data()),
                .exact = reinterpret_cast<const std::byte*>(exact.data()),
                .exact_dtype = Dtype::i64};
  EXPECT_EQ(take_over_picks(values, 6, reinterpret_cast<const std::byte*>(of_spread.data()),
                            reinterpret_cast<std::byte*>(exact.data())),
            1u);
  EXPECT_EQ(exact, (std::vector<int64_t>{0, 4, 5, 6}));
}

}  // namespace
}  // namespace assay
