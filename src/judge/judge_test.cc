#include "judge/judge.h"

#include <gtest/gtest.h>

#include "fakes/windows.h"

namespace assay {
namespace {

Speedup judged(const Measured& measured) {
  return judge(measured, CacheMode::hot, 1).timing.speedups.at(0);
}

TEST(Judge, SaysWhatTheIntervalShows) {
  const Speedup faster = judged(fake_measured({.candidate_ns = 5e5, .null_ns = 1e3}));
  EXPECT_EQ(faster.outcome, Outcome::faster);
  EXPECT_NEAR(faster.ratio, 2, 1e-6);
  EXPECT_LE(faster.low, 2);
  EXPECT_GE(faster.high, 2);
  EXPECT_EQ(faster.reason, "");
  EXPECT_EQ(judged(fake_measured({.candidate_ns = 2e6, .null_ns = 1e3})).outcome, Outcome::slower);
  EXPECT_EQ(judged(fake_measured({.null_ns = 1e3})).outcome, Outcome::equal);
}

TEST(Judge, WhatTheIntervalDoesNotShowIsUndecided) {
  const Speedup noisy =
      judged(fake_measured({.candidate_ns = 0.97e6, .null_ns = 1e3, .spread = 0.1}));
  EXPECT_EQ(noisy.outcome, Outcome::undecided);
  EXPECT_EQ(noisy.reason, "noisy");
}

TEST(Judge, WhatWindowsCostMayHideADifference) {
  const Speedup speedup = judged(fake_measured({.null_ns = 50e3}));
  EXPECT_EQ(speedup.outcome, Outcome::undecided);
  EXPECT_EQ(speedup.reason, "resolution-limited");
  // And does not hide one that is larger than that.
  EXPECT_EQ(judged(fake_measured({.candidate_ns = 5e5, .null_ns = 50e3})).outcome, Outcome::faster);
}

TEST(Judge, FewerLaunchesThanTheFirstLookDecideNothing) {
  Measured measured = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3, .launches = 5});
  measured.out_of_time = true;
  EXPECT_EQ(judged(measured).reason, "budget");
}

TEST(Judge, AQuickLookDecidesOnlyWhatAllPairsShow) {
  Measured measured = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3, .launches = 2});
  measured.quick = true;
  const Judged all = judge(measured, CacheMode::hot, 1);
  EXPECT_EQ(all.timing.speedups[0].outcome, Outcome::faster);
  EXPECT_TRUE(all.timing.provisional);
  measured.duels[0].figures.cpu.pairs[3] = -0.2;
  const Speedup but_one = judged(measured);
  EXPECT_EQ(but_one.outcome, Outcome::undecided);
  EXPECT_EQ(but_one.reason, "quick");
  Measured equal = fake_measured({.null_ns = 1e3, .launches = 2});
  equal.quick = true;
  EXPECT_EQ(judged(equal).reason, "quick");
}

TEST(Judge, ClocksThatContradictEachOtherDecideNothing) {
  // Half the CPU time, and as long on the wall: somebody else did the work.
  const Speedup speedup =
      judged(fake_measured({.candidate_ns = 5e5, .wall_factor = 2.2, .null_ns = 1e3}));
  EXPECT_EQ(speedup.outcome, Outcome::undecided);
  EXPECT_EQ(speedup.reason, "clocks");
}

TEST(Judge, ABaselineThatIsSlowedDecidesNothingInTheCandidatesFavour) {
  const Speedup speedup =
      judged(fake_measured({.candidate_ns = 5e5, .solo_factor = 0.8, .null_ns = 1e3}));
  EXPECT_EQ(speedup.outcome, Outcome::undecided);
  EXPECT_EQ(speedup.reason, "interference");
  EXPECT_EQ(
      judged(fake_measured({.candidate_ns = 2e6, .solo_factor = 0.8, .null_ns = 1e3})).outcome,
      Outcome::slower);
}

TEST(Judge, ABaselineThatCouldNotBeUsedHasNoSpeedUp) {
  Measured measured = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3});
  Duel unusable;
  unusable.baseline = "inductor";
  unusable.unusable = "it crashed";
  measured.duels.insert(measured.duels.begin(), unusable);
  // The other's windows are those of the second side then.
  for (WindowRecord& window : measured.windows) window.side *= 2;
  const Judged judged = judge(measured, CacheMode::hot, 1);
  ASSERT_EQ(judged.timing.speedups.size(), 1u);
  EXPECT_EQ(judged.timing.speedups[0].baseline, "eager");
  EXPECT_NEAR(judged.timing.speedups[0].cpu.median_ns, 1e6, 1);
}

TEST(Judge, EveryRuleSaysWhatItMeans) {
  for (const SpeedRule* rule : speed_rules()) {
    EXPECT_FALSE(rule->name.empty());
    EXPECT_FALSE(rule->meaning.empty());
  }
}

}  // namespace
}  // namespace assay
