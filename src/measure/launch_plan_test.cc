#include "measure/launch_plan.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

LaunchPlan plan_of(bool quick) {
  TimingSettings timing;
  timing.quick = quick;
  LaunchPlan plan = LaunchPlan::of(timing, Metric::cpu);
  plan.slots = 256;
  plan.plan(20'000, 1'000);  // by the oracle's clock
  return plan;
}

TEST(LaunchPlan, CallsAreAddedUpUntilAWindowIsLongBesideItsOwnCost) {
  LaunchPlan plan = plan_of(false);
  EXPECT_EQ(plan.calls, 150u);
  EXPECT_EQ(plan.entries(), 150 * (3 + 24 + 5 + 1) + 13);
  plan.adjust(40'000, 40'000);
  EXPECT_EQ(plan.calls, 75u);
  plan.adjust(2'000'000, 2'000'000);
  EXPECT_EQ(plan.calls, 2u);
  plan.adjust(1'000, 1'000);
  EXPECT_EQ(plan.calls, 256u) << "more have no room";
  EXPECT_EQ(plan_of(true).calls, 50u);
}

TEST(LaunchPlan, ASlowerCandidateHasShorterWindowsAndAFasterOneNoOthers) {
  LaunchPlan plan = plan_of(false);
  plan.adjust(20'000, 60'000);
  EXPECT_EQ(plan.calls, 50u) << "three milliseconds of the candidate's";
  plan.adjust(20'000, 2'000'000);
  EXPECT_EQ(plan.calls, 18u) << "and at least 350 us of the baseline's";
  plan.adjust(20'000, 10'000);
  EXPECT_EQ(plan.calls, 150u);
  plan.adjust(20'000, 0);
  EXPECT_EQ(plan.calls, 150u) << "nobody has seen it";
}

TEST(LaunchPlan, PairsFollowFromTheBaselineUnlessTheCandidateIsFarAway) {
  LaunchPlan plan = plan_of(false);
  plan.adjust(20'000, 30'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs) << "of many calls, without the candidate";
  EXPECT_EQ(plan.calls, 100u);
  plan.adjust(20'000, 20'000);
  EXPECT_EQ(plan.calls, 100u) << "all launches have as many";

  plan = plan_of(false);
  plan.adjust(1'000'000, 900'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);

  EXPECT_FALSE(LaunchPlan::are_far_apart(20'000, 29'000));
  EXPECT_FALSE(LaunchPlan::are_far_apart(0, 29'000)) << "nobody has seen it";
  EXPECT_TRUE(LaunchPlan::are_far_apart(20'000, 31'000));
  EXPECT_TRUE(LaunchPlan::are_far_apart(31'000, 20'000));
  plan = plan_of(false);
  plan.is_clear = true;
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewestPairs);
  const double apart[] = {0.5, 0.3};
  EXPECT_TRUE(plan.is_revised(apart, true));
  plan.be_adjusted();  // by the same warming up
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs) << "its pairs were not so";
  plan = plan_of(true);
  plan.is_clear = true;
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs) << "two launches of twelve";
}

TEST(LaunchPlan, WindowsAreLongerWhereTheFirstLaunchShowsSomebodyNear) {
  LaunchPlan plan = plan_of(false);
  plan.adjust(1'000'000, 980'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.calls, 3u);
  const double far[] = {-0.05, 0.05}, near[] = {0.05, -0.02};
  EXPECT_FALSE(plan.is_revised(far, true));
  EXPECT_FALSE(plan.is_revised(near, false)) << "there is no time for it";
  EXPECT_TRUE(plan.is_revised(near, true));
  EXPECT_EQ(plan.calls, 6u);
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs);
  plan.adjust(1'000'000, 980'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.calls, 6u);
  EXPECT_FALSE(plan.is_revised(near, true)) << "once is enough";

  plan = plan_of(true);
  plan.adjust(1'000'000, 980'000);
  plan.be_adjusted();
  EXPECT_FALSE(plan.is_revised(near, true)) << "a provisional look";
}

TEST(LaunchPlan, WarmingUpBeginsWithOneCallAndFindsHowManyAreAWindow) {
  LaunchPlan plan = plan_of(false);
  EXPECT_TRUE(plan.may_rehearse());
  EXPECT_EQ(plan.calls_of_warm_up(0), 1u);
  EXPECT_EQ(plan.calls_of_warm_up(1), LaunchPlan::kFewCalls);
  EXPECT_EQ(plan.calls_of_warm_up(2), plan.calls);
  EXPECT_EQ(plan.slots_needed(), 256u);
  plan.be_adjusted();
  EXPECT_EQ(plan.calls_of_warm_up(1), plan.calls) << "in launches to come it is known";
  EXPECT_EQ(plan.slots_needed(), plan.calls);
}

TEST(LaunchPlan, WhatTakesLongIsAWindowByItself) {
  LaunchPlan plan = LaunchPlan::of({}, Metric::cpu);
  plan.slots = 256;
  plan.plan(20'000'000, 1'000);
  EXPECT_EQ(plan.calls, 1u);
  EXPECT_EQ(plan.slots, 1u);
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);
  plan.plan(60'000'000, 1'000);
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs);
  plan.plan(200'000'000, 1'000);
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewestPairs);
  EXPECT_LE(plan.entries(), static_cast<int>(LaunchPlan::kFewestEntries));
  EXPECT_FALSE(plan.may_rehearse()) << "a window more would take long";
}

TEST(LaunchPlan, AProvisionalLookHasNoCallsThatNobodyAsksFor) {
  const LaunchPlan plan = plan_of(true);
  EXPECT_EQ(plan.windows_alone(), 0);
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs);
}

}  // namespace
}  // namespace assay
