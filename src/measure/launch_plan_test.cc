#include "measure/launch_plan.h"

#include <gtest/gtest.h>

#include <cmath>

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

  EXPECT_FALSE(LaunchPlan::is_far(std::log(1.49)));
  EXPECT_TRUE(LaunchPlan::is_far(std::log(1.51)));
  EXPECT_TRUE(LaunchPlan::is_far(-std::log(1.51)));
  plan = plan_of(false);
  plan.is_clear = true;
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewestPairs);
  plan.be_clear_no_more();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs) << "the first launch's were not so";
  plan = plan_of(true);
  plan.is_clear = true;
  plan.be_adjusted();
  EXPECT_EQ(plan.pairs, LaunchPlan::kFewPairs) << "two launches of twelve";
}

// By what a call of each takes while it warms up.
LaunchPlan adjusted(LaunchPlan plan, int64_t baseline_ns, int64_t candidate_ns) {
  plan.adjust(baseline_ns, candidate_ns);
  plan.is_close = LaunchPlan::is_near(
      std::log(static_cast<double>(baseline_ns) / static_cast<double>(candidate_ns)));
  plan.be_adjusted();
  return plan;
}

TEST(LaunchPlan, WindowsAreLongerAndFewerWhereSomebodyIsNear) {
  const LaunchPlan near = adjusted(plan_of(false), 1'000'000, 980'000);
  EXPECT_EQ(near.calls, 6u);
  EXPECT_EQ(near.pairs, LaunchPlan::kPairs / 2);
  EXPECT_EQ(near.slots_needed(), 6u);
  const LaunchPlan slower = adjusted(plan_of(false), 1'000'000, 1'070'000);
  EXPECT_EQ(slower.calls, 6u);
  const LaunchPlan apart = adjusted(plan_of(false), 1'000'000, 900'000);
  EXPECT_EQ(apart.calls, 3u);
  EXPECT_EQ(apart.pairs, LaunchPlan::kPairs);
  // What is an average of many calls has few pairs anyhow, and never fewer than the fewest.
  const LaunchPlan average = adjusted(plan_of(false), 60'000, 61'000);
  EXPECT_EQ(average.calls, 100u);
  EXPECT_EQ(average.pairs, LaunchPlan::kFewestPairs);
}

TEST(LaunchPlan, ALookThatDecidesNothingHasMorePairsFollow) {
  LaunchPlan plan = adjusted(plan_of(false), 1'000'000, 980'000);
  plan.have_more_pairs();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);
  plan.have_more_pairs();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);
  plan.be_clear_no_more();
  EXPECT_EQ(plan.pairs, LaunchPlan::kPairs);
  LaunchPlan slow = LaunchPlan::of({}, Metric::cpu);
  slow.plan(100'000'000, 1'000);
  slow = adjusted(slow, 100'000'000, 100'000'000);
  slow.have_more_pairs();
  EXPECT_EQ(slow.pairs, LaunchPlan::kFewPairs);
}

TEST(LaunchPlan, WindowsAreNotLongerWhereThatIsOfNoUse) {
  const LaunchPlan full = adjusted(plan_of(false), 1'000, 1'000);
  EXPECT_EQ(full.calls, 256u) << "there is no room for more calls";
  EXPECT_EQ(full.pairs, LaunchPlan::kFewPairs);
  // A provisional look has two launches of twelve; the candidate's time may have made calls fewer.
  const LaunchPlan quick = adjusted(plan_of(true), 10'000, 10'400);
  EXPECT_EQ(quick.calls, 97u);
  EXPECT_EQ(quick.pairs, LaunchPlan::kFewPairs);
  // Windows of several threads are long for another reason.
  LaunchPlan threads = LaunchPlan::of({}, Metric::wall);
  threads.slots = 256;
  threads.plan(1'000'000, 1'000);
  EXPECT_EQ(adjusted(threads, 1'000'000, 1'010'000).calls, 50u);
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

TEST(LaunchPlan, AProfileOfWhoRemembersNothingHasTheSameInputsAgain) {
  auto planned = [](int64_t call_ns, bool repeats) {
    LaunchPlan plan = LaunchPlan::of({.against = {}, .profile = true}, Metric::cpu);
    plan.slots = 64;
    if (repeats) plan.repeat_inputs();
    plan.plan(call_ns, 1'000);
    plan.adjust(call_ns, call_ns);
    plan.be_adjusted();
    return plan;
  };
  const LaunchPlan anew = planned(4'000, false), again = planned(4'000, true);
  EXPECT_EQ(again.pairs, LaunchPlan::kProfilePairs);
  EXPECT_GT(again.pairs, 2 * anew.pairs);
  EXPECT_LT(again.entries(), anew.entries()) << "more windows, of fewer inputs";
  const LaunchPlan slow = planned(20'000'000, true);
  EXPECT_EQ(slow.pairs, LaunchPlan::kFewPairs);
  EXPECT_LT(slow.entries(), planned(20'000'000, false).entries());
}

}  // namespace
}  // namespace assay
