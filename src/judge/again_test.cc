#include "judge/again.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fakes/windows.h"

namespace assay {
namespace {

Judged judged(double candidate_ns) {
  return judge(fake_measured({.candidate_ns = candidate_ns, .null_ns = 1e3}), {}, {});
}

TEST(Again, TwoMeasurementsThatSayTheSameAreLessOftenChance) {
  const Judged first = judged(5e5), second = judged(4e5);
  ASSERT_TRUE(is_winner(first));
  const Judged both = confirmed(first, second);
  const Speedup& said = both.timing.speedups.at(0);
  EXPECT_EQ(said.outcome, Outcome::faster);
  EXPECT_NEAR(said.ratio, 2.5, 1e-6) << "of the second: the first was chosen by what it showed";
  // The first counts as one that might have come out so at any look: 2.2 %.
  EXPECT_NEAR(*said.chance, std::ldexp(1.0, -6) * chance_of_faster(24, 6), 1e-12);
  EXPECT_NEAR(both.stage.evidence["first"][0]["ratio"].get<double>(), 2, 1e-6);
}

TEST(Again, WhatIsSuspiciousOnceStaysSo) {
  Judged first = judged(5e5);
  first.is_suspicious = true;
  EXPECT_TRUE(confirmed(first, judged(5e5)).is_suspicious);
  EXPECT_FALSE(confirmed(judged(5e5), judged(5e5)).is_suspicious);
}

TEST(Again, WhoIsNotFasterTwiceIsUndecided) {
  const Judged both = confirmed(judged(5e5), judged(1e6));
  const Speedup& said = both.timing.speedups.at(0);
  EXPECT_EQ(said.outcome, Outcome::undecided);
  EXPECT_EQ(said.reason, "again");
  EXPECT_FALSE(said.chance);
  EXPECT_NEAR(said.ratio, 1, 1e-6);
}

TEST(Again, WhatTheSecondRejectsStaysRejected) {
  Judged second = judged(5e5);
  second.stage.status = StageStatus::rejected;
  EXPECT_EQ(confirmed(judged(5e5), second).stage.status, StageStatus::rejected);
}

TEST(Again, WinnersAreThoseThatAreFasterByWholeMeasurements) {
  EXPECT_FALSE(is_winner(judged(1e6)));
  EXPECT_FALSE(is_winner(judged(2e6)));
  Measured quick = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3, .launches = 2});
  quick.settings.quick = true;
  EXPECT_FALSE(is_winner(judge(quick, {}, {})));
}

// One that is faster in all launches of both stands, however many others there are.
TEST(Again, ManyComparisonsNeedMoreLaunches) {
  EXPECT_EQ(least_launches_again(2), 6);
  EXPECT_EQ(least_launches_again(140), 6);
  EXPECT_EQ(least_launches_again(150), 7);
  for (size_t comparisons : {2u, 50u, 150u, 1000u, 4000u})
    EXPECT_LE(chance_of_faster(24, 6) * std::ldexp(1.0, -least_launches_again(comparisons)) *
                  static_cast<double>(comparisons),
              kFamilyAlpha);
}

}  // namespace
}  // namespace assay
