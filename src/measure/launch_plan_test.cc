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
  EXPECT_EQ(plan.entries(), 150 * (3 + 24 + 4 + 1) + 5);
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

TEST(LaunchPlan, FewerPairsFollowFromTheBaselineAlone) {
  LaunchPlan plan = plan_of(false);
  plan.adjust(20'000, 2'000'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs) << "of many calls, without the candidate";
  EXPECT_EQ(plan.calls, 18u);
  plan.adjust(20'000, 20'000);
  EXPECT_EQ(plan.calls, 18u) << "all launches have as many";

  plan = plan_of(false);
  plan.adjust(1'000'000, 30'000'000);
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);
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
}

TEST(LaunchPlan, AProvisionalLookHasNoCallsThatNobodyAsksFor) {
  const LaunchPlan plan = plan_of(true);
  EXPECT_EQ(plan.solos, 0);
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs);
}

}  // namespace
}  // namespace assay
