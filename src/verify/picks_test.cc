#include "verify/picks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace assay {
namespace {

const std::byte* bytes(const auto& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

struct Case {
  Picks picks;
  std::vector<double> key;
  std::vector<int64_t> exact;

  PickFigures judged(const std::vector<int64_t>& indices, double tolerance = 0) const {
    std::vector<double> units = key;
    for (double& each : units) each /= tolerance > 0 ? tolerance : 1;
    return judge_picks({&picks, units.data(), tolerance == 0}, Dtype::i64, bytes(indices),
                       Dtype::i64, bytes(exact), exact.size());
  }
};

// Two rows, sorted.
const Case kSort{{.call = 0, .key = {Dtype::f64, {2, 4}, {}}, .dim = 1, .each_once = true},
                 {5, 1, 5, 3, NAN, 0, 7, NAN},
                 {1, 3, 0, 2, 1, 2, 0, 3}};

TEST(Picks, EqualElementsMayChangePlaces) {
  PickFigures same = kSort.judged(kSort.exact);
  EXPECT_EQ(same.wrong + same.moved, 0u);
  PickFigures swapped = kSort.judged({1, 3, 2, 0, 1, 2, 3, 0});
  EXPECT_EQ(swapped.wrong, 0u);
  EXPECT_EQ(swapped.moved, 4u) << "NaN is as large as NaN";
}

TEST(Picks, OthersMayNot) {
  PickFigures found = kSort.judged({3, 1, 0, 2, 1, 2, 0, 3});
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(found.first_wrong, 0u);
  EXPECT_EQ(kSort.judged({1, 3, 0, 0, 1, 2, 0, 3}).wrong, 1u) << "one comes twice";
  EXPECT_EQ(kSort.judged({1, 3, 0, 4, 1, 2, 0, 3}).wrong, 1u) << "outside";
  EXPECT_EQ(kSort.judged({1, 3, 0, -2, 1, 2, 0, 3}).wrong, 1u);
  EXPECT_EQ(kSort.judged({1, 3, 0, int64_t{1} << 62, 1, 2, 0, 3}).wrong, 1u);
}

TEST(Picks, WhatIsNearerThanRoundingIsEqual) {
  EXPECT_EQ(kSort.judged({3, 1, 0, 2, 1, 2, 0, 3}, 2).wrong, 0u);
  EXPECT_EQ(kSort.judged({3, 1, 0, 2, 1, 2, 0, 3}, 1.9).wrong, 2u);
}

TEST(Picks, TheFirstOfEqualOnesIsMeantWhereTheKeyIsExact) {
  Case largest{{.call = 0, .key = {Dtype::f64, {2, 3}, {}}, .dim = 1, .first = true},
               {4, 9, 9, 8, 1, 7.9},
               {1, 0}};
  EXPECT_EQ(largest.judged({2, 0}).wrong, 1u);
  EXPECT_EQ(largest.judged({2, 2}, 0.2).wrong, 0u) << "another rounding";
  EXPECT_EQ(largest.judged({0, 1}, 0.2).wrong, 2u);
}

TEST(Picks, ASortThatKeepsTheOrderOfEqualOnesKeepsIt) {
  Case stable{{.call = 0, .key = {Dtype::f64, {5}, {}}, .dim = 0, .each_once = true, .first = true},
              {1, 0, 1, 0, 1},
              {1, 3, 0, 2, 4}};
  EXPECT_EQ(stable.judged({3, 1, 0, 2, 4}).wrong, 1u);
  EXPECT_EQ(stable.judged({1, 3, 0, 4, 2}).wrong, 1u);
  EXPECT_EQ(stable.judged({1, 0, 2, 3, 4}).wrong, 2u) << "a zero came late: two places are wrong";
}

TEST(Picks, AlongAnyDimension) {
  // The median of each column of two: kept or not, the indices lie in the same order.
  Case median{{.call = 0, .key = {Dtype::f64, {3, 2}, {}}, .dim = 0}, {4, 9, 4, 8, 1, 9}, {0, 0}};
  EXPECT_EQ(median.judged({1, 2}).wrong, 0u);
  EXPECT_EQ(median.judged({2, 0}).wrong, 1u);
  EXPECT_EQ(median.judged({0, 1}).first_wrong, 1u);
}

TEST(Picks, WhatDoesNotFitIsKnown) {
  EXPECT_TRUE(fits(kSort.picks, 8));
  EXPECT_TRUE(fits(kSort.picks, 4));
  EXPECT_FALSE(fits(kSort.picks, 3));
  EXPECT_FALSE(fits(kSort.picks, 10)) << "more than there are";
  EXPECT_FALSE(fits({.call = 0, .key = {Dtype::f64, {2, 4}, {}}, .dim = 2}, 8));
  EXPECT_FALSE(fits({.call = 0, .key = {Dtype::f64, {}, {}}, .dim = 0}, 1));
  EXPECT_TRUE(fits({.call = 0, .key = {Dtype::f64, {0, 4}, {}}, .dim = 1}, 0));
}

}  // namespace
}  // namespace assay
