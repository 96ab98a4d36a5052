#include "measure/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace assay {
namespace {

TEST(Interval, LooksTogetherFindADifferenceWhereThereIsNoneInLessThanFivePercent) {
  // 2/64, 2 (1 + 12)/4096, and 2 (1 + 24 + 276 + 2024 + 10626 + 42504)/2^24.
  EXPECT_DOUBLE_EQ(false_alarm({6, 1}), 2.0 / 64);
  EXPECT_DOUBLE_EQ(false_alarm({12, 2}), 26.0 / 4096);
  EXPECT_DOUBLE_EQ(false_alarm({24, 6}), 2.0 * 55455 / 16777216);
  double all = 0;
  for (const Look& look : kLooks) all += false_alarm(look);
  EXPECT_LT(all, 0.0443);
}

TEST(Interval, IsBetweenTheLaunchesOfTheLooksRank) {
  const double launches[] = {0.3, -0.1, 0.2, 0.5, 0.1, 0.4};
  const Interval all = interval_of(launches, 1);
  EXPECT_EQ(all.low, -0.1);
  EXPECT_EQ(all.high, 0.5);
  EXPECT_DOUBLE_EQ(all.estimate, 0.25);
  const Interval inner = interval_of(launches, 2);
  EXPECT_EQ(inner.low, 0.1);
  EXPECT_EQ(inner.high, 0.4);
  const Interval one = interval_of(std::vector{0.7}, 6);
  EXPECT_EQ(one.low, 0.7);
  EXPECT_EQ(one.high, 0.7);
}

TEST(Interval, IsDecidedOnlyWhenAllOfItLiesOnOneSideOfTheDeadBand) {
  EXPECT_EQ(decided({0.011, 0.05, 0.1}), Outcome::faster);
  EXPECT_EQ(decided({-0.1, -0.05, -0.011}), Outcome::slower);
  EXPECT_EQ(decided({-0.009, 0, 0.009}), Outcome::equal);
  EXPECT_EQ(decided({0.009, 0.05, 0.1}), std::nullopt);
  EXPECT_EQ(decided({-0.1, 0, 0.1}), std::nullopt);
  EXPECT_EQ(decided({-0.02, 0, 0.005}), std::nullopt);
}

TEST(Interval, TheRankIsThatOfTheLookThatWasLast) {
  EXPECT_EQ(rank_after(2), 1);
  EXPECT_EQ(rank_after(6), 1);
  EXPECT_EQ(rank_after(11), 1);
  EXPECT_EQ(rank_after(12), 2);
  EXPECT_EQ(rank_after(23), 2);
  EXPECT_EQ(rank_after(24), 6);
}

// Launches of the same program on both sides, with tails as heavy as a stolen time slice makes
// them, looked at as measure() does: whether zero lies outside at any look.
TEST(Interval, CoversNoDifferenceAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::cauchy_distribution<double> noise(0, 0.003);
  constexpr int kTrials = 20'000;
  int misses = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> launches;
    bool missed = false;
    for (const Look& look : kLooks) {
      while (static_cast<int>(launches.size()) < look.launches) launches.push_back(noise(random));
      const Interval interval = interval_of(launches, look.rank);
      missed |= interval.low > 0 || interval.high < 0;
    }
    misses += missed ? 1 : 0;
  }
  const double rate = static_cast<double>(misses) / kTrials;
  EXPECT_LT(rate, 0.0443);
  EXPECT_GT(rate, 0.03);  // it is as wide as it has to be, and no wider
}

TEST(Interval, MediansAndQuantilesAreOfTheValuesThemselves) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(quantile(hundred, 0.05), 5);
  EXPECT_EQ(quantile(hundred, 0.95), 95);
  EXPECT_EQ(quantile(hundred, 0), 1);
  EXPECT_EQ(quantile(hundred, 1), 100);
}

TEST(Interval, WhoIsNoFasterSeldomComesOutSo) {
  EXPECT_NEAR(chance_of_faster(6, 6), 1.0 / 64, 1e-12);
  EXPECT_NEAR(chance_of_faster(8, 8), 1.0 / 256, 1e-12);
  EXPECT_NEAR(chance_of_faster(24, 6), 0.0442 / 2, 1e-4) << "over all looks";
  EXPECT_GT(chance_of_faster(12, 6), chance_of_faster(6, 6));
  EXPECT_NEAR(chance_of_faster(13, 6), chance_of_faster(12, 6) + 14 / 8192.0, 1e-12)
      << "the time was up after thirteen, and that was looked at, too";
}

}  // namespace
}  // namespace assay
