#include "report/rank_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace assay {
namespace {

// All ways to choose which n of n + m values are of the first sample, by hand.
double chance_by_hand(std::span<const double> low, std::span<const double> high) {
  std::vector<double> all(low.begin(), low.end());
  all.insert(all.end(), high.begin(), high.end());
  auto inversions = [&](unsigned chosen) {
    int count = 0;
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < all.size(); ++j)
        if ((chosen >> i & 1) && !(chosen >> j & 1) && all[i] > all[j]) ++count;
    return count;
  };
  const int seen = inversions((1U << low.size()) - 1);
  double as_far = 0, ways = 0;
  for (unsigned chosen = 0; chosen < 1U << all.size(); ++chosen) {
    if (std::popcount(chosen) != static_cast<int>(low.size())) continue;
    ++ways;
    if (inversions(chosen) <= seen) ++as_far;
  }
  return as_far / ways;
}

TEST(RankSum, IsWhatAllOrdersGive) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (size_t n = 1; n <= 6; ++n)
    for (size_t m = 1; m <= 6; ++m) {
      std::vector<double> low(n), high(m);
      for (double& each : low) each = normal(random);
      for (double& each : high) each = normal(random) + 0.5;
      EXPECT_NEAR(chance_of_so_low(low, high), chance_by_hand(low, high), 1e-12) << n << " " << m;
    }
}

TEST(RankSum, KnownChances) {
  const std::vector<double> low{1, 2, 3, 4, 5, 6}, high{7, 8, 9, 10, 11, 12};
  EXPECT_NEAR(chance_of_so_low(low, high), 1 / 924.0, 1e-15);
  EXPECT_EQ(chance_of_so_low(high, low), 1);
  std::vector<double> first(24), second(24);
  std::iota(first.begin(), first.end(), 0);
  std::iota(second.begin(), second.end(), 24);
  EXPECT_NEAR(chance_of_so_low(first, second) * 32247603683100.0, 1, 1e-9);  // C(48, 24)
}

TEST(RankSum, EqualValuesNeverHelp) {
  EXPECT_EQ(chance_of_so_low(std::vector<double>(6, 1), std::vector<double>(6, 1)), 1);
  EXPECT_GE(chance_of_so_low(std::vector{1.0, 2.0}, std::vector{2.0, 3.0}),
            chance_of_so_low(std::vector{1.0, 2.0}, std::vector{2.1, 3.0}));
}

TEST(RankSum, TheShiftsIntervalIsBetweenRankedDifferences) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6}, b{11, 12, 13, 14, 15, 16};
  // 2 P(U <= 5) = 2 x 19 / 924 = 4.1 %, so five differences are left out at each end.
  const Interval interval = shift_between(a, b, 0.05);
  EXPECT_EQ(interval.estimate, 10);
  EXPECT_EQ(interval.low, 7);  // differences 5, 6, 6, 7, 7, 7, ...
  EXPECT_EQ(interval.high, 13);
  const Interval widest = shift_between(a, b, 1e-9);
  EXPECT_EQ(widest.low, 5);
  EXPECT_EQ(widest.high, 15);
}

// Of samples from one distribution, how often the interval misses no shift: over all 924 orders of
// twelve values, exactly as promised.
TEST(RankSum, TheIntervalMissesAsOftenAsPromised) {
  std::vector<double> values(12);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (double& each : values) each = normal(random);
  int ways = 0, missed = 0;
  for (unsigned chosen = 0; chosen < 1U << 12; ++chosen) {
    if (std::popcount(chosen) != 6) continue;
    std::vector<double> a, b;
    for (size_t i = 0; i < 12; ++i) (chosen >> i & 1 ? a : b).push_back(values[i]);
    const Interval interval = shift_between(a, b, 0.05);
    ++ways;
    if (interval.low > 0 || interval.high < 0) ++missed;
  }
  EXPECT_EQ(ways, 924);
  EXPECT_EQ(missed, 38);  // 2 x 19
}

TEST(Holm, ByHand) {
  EXPECT_TRUE(holm_adjusted({}).empty());
  const std::vector<double> adjusted = holm_adjusted(std::vector{0.01, 0.04, 0.03, 0.005});
  // Sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1, none below the one before it.
  EXPECT_NEAR(adjusted[3], 0.02, 1e-15);
  EXPECT_NEAR(adjusted[0], 0.03, 1e-15);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-15);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-15);
  EXPECT_EQ(holm_adjusted(std::vector{0.9, 0.8}), (std::vector{1.0, 1.0}));
}

}  // namespace
}  // namespace assay
