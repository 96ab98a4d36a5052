#include "judge/judge.h"

#include <gtest/gtest.h>

#include <set>

#include "fakes/calibration.h"
#include "fakes/windows.h"

namespace assay {
namespace {

Speedup judged(const Measured& measured) { return judge(measured, {}, {}).timing.speedups.at(0); }

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

TEST(Judge, ThreadsThatWaitForCoresDecideNothing) {
  Measured measured = fake_measured({.candidate_ns = 0.9e6, .null_ns = 1e3, .spread = 0.05});
  measured.threads = 4;
  EXPECT_EQ(judged(measured).outcome, Outcome::faster);
  for (WindowRecord& window : measured.windows) window.waited_ns = window.wall_ns * 4 / 8;
  const Speedup disturbed = judged(measured);
  EXPECT_EQ(disturbed.outcome, Outcome::undecided);
  EXPECT_EQ(disturbed.reason, "noisy");
  // One thread has CPU time, in which nobody waits.
  measured.threads = 1;
  EXPECT_EQ(judged(measured).outcome, Outcome::faster);
  // And what is far larger than all that launches differ by is no such thing.
  Measured clear = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3, .spread = 0.05});
  clear.threads = 4;
  for (WindowRecord& window : clear.windows) window.waited_ns = window.wall_ns;
  EXPECT_EQ(judged(clear).outcome, Outcome::faster);
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
  measured.settings.quick = true;
  const Judged all = judge(measured, {}, {});
  EXPECT_EQ(all.timing.speedups[0].outcome, Outcome::faster);
  EXPECT_TRUE(all.timing.provisional);
  measured.out_of_time = true;  // after the first
  EXPECT_EQ(judged(measured).reason, "budget");
  measured.out_of_time = false;
  measured.duels[0].figures.cpu.pairs[3] = -0.2;
  const Speedup but_one = judged(measured);
  EXPECT_EQ(but_one.outcome, Outcome::undecided);
  EXPECT_EQ(but_one.reason, "quick");
  Measured equal = fake_measured({.null_ns = 1e3, .launches = 2});
  equal.settings.quick = true;
  EXPECT_EQ(judged(equal).reason, "quick");
}

TEST(Judge, ClocksThatContradictEachOtherDecideNothing) {
  // Half the CPU time, and as long on the wall: somebody else did the work.
  const Speedup speedup =
      judged(fake_measured({.candidate_ns = 5e5, .wall_factor = 2.2, .null_ns = 1e3}));
  EXPECT_EQ(speedup.outcome, Outcome::undecided);
  EXPECT_EQ(speedup.reason, "clocks");
}

TEST(Judge, WhatIsWrongWithFiguresComesBeforeThatTheyDoNotTell) {
  Measured noisy =
      fake_measured({.candidate_ns = 0.97e6, .wall_factor = 2.2, .null_ns = 1e3, .spread = 0.1});
  EXPECT_EQ(judged(noisy).reason, "clocks");
  EXPECT_EQ(judged(fake_measured({.wall_factor = 2.2, .null_ns = 50e3})).reason, "clocks");
  // Few launches have no interval by either clock.
  noisy.launches = 5;
  EXPECT_EQ(judged(noisy).reason, "budget");
}

TEST(Judge, WhatIsSlowerByBothClocksIsSlower) {
  EXPECT_EQ(
      judged(fake_measured({.candidate_ns = 3e6, .wall_factor = 0.7, .null_ns = 1e3})).outcome,
      Outcome::slower);
  // By the one slower and by the other faster.
  EXPECT_EQ(
      judged(fake_measured({.candidate_ns = 1.2e6, .wall_factor = 0.5, .null_ns = 1e3})).reason,
      "clocks");
}

TEST(Judge, AClockThatOftenStandsStillDecidesNothing) {
  Measured measured = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3});
  measured.duels[0].figures.cpu.invalid = 1;
  EXPECT_EQ(judged(measured).outcome, Outcome::faster);  // 1 of 25
  measured.duels[0].figures.cpu.invalid = 2;
  EXPECT_EQ(judged(measured).reason, "clocks");
}

TEST(Judge, ABaselineThatIsSlowedDecidesNothingInTheCandidatesFavour) {
  // Among others it takes 5.3 % longer than alone: 11 % less that is still faster.
  const Speedup charged =
      judged(fake_measured({.candidate_ns = 0.9e6, .solo_factor = 0.95, .null_ns = 1e3}));
  EXPECT_EQ(charged.outcome, Outcome::faster);
  EXPECT_NEAR(charged.low, 0.95 / 0.9, 2e-3);
  EXPECT_NEAR(charged.ratio, 0.95 / 0.9, 2e-3);
  EXPECT_EQ(
      judged(fake_measured({.candidate_ns = 0.95e6, .solo_factor = 0.95, .null_ns = 1e3})).reason,
      "interference");
  const Speedup speedup =
      judged(fake_measured({.candidate_ns = 5e5, .solo_factor = 0.8, .null_ns = 1e3}));
  EXPECT_EQ(speedup.outcome, Outcome::undecided);
  EXPECT_EQ(speedup.reason, "interference");
  EXPECT_EQ(
      judged(fake_measured({.candidate_ns = 2e6, .solo_factor = 0.8, .null_ns = 1e3})).outcome,
      Outcome::slower);
}

TEST(Judge, WhatIsFasterOnlyWhereSeveralCallsAreInOneWindowDecidesNothing) {
  // A window costs 20 us. Alone both take 100 us and that; of 30 calls the candidate's take 40
  // each.
  FakeTimes times{.candidate_ns = 40e3, .baseline_ns = 100e3, .calls = 30};
  times.candidate_single_ns = times.baseline_single_ns = 120e3;
  const Speedup ahead = judged(fake_measured(times));
  EXPECT_EQ(ahead.outcome, Outcome::undecided);
  EXPECT_EQ(ahead.reason, "batched");
  // Alone it takes 15 us more than among others, with caches that the judge has used: so may both.
  times.candidate_single_ns = 75e3;
  times.baseline_single_ns = 135e3;
  EXPECT_EQ(judged(fake_measured(times)).outcome, Outcome::faster);
  // Who is slower has not gained by it.
  times.candidate_ns = 200e3;
  EXPECT_EQ(judged(fake_measured(times)).outcome, Outcome::slower);
}

// Six launches in which both take so many percent longer in turn than alone.
Measured in_turn(double candidate_ns, int candidate_percent, int baseline_percent) {
  Measured measured = fake_measured({.candidate_ns = candidate_ns, .null_ns = 1e3});
  for (WindowRecord& window : measured.windows) {
    if (window.use != WindowUse::pair) continue;
    const int percent = window.side == 0 ? candidate_percent : baseline_percent;
    for (int64_t* time : {&window.wall_ns, &window.cpu_ns}) *time += *time * percent / 100;
  }
  Duel& duel = measured.duels[0];
  duel.figures = duel_figures(measured.windows, 1, Metric::cpu);
  duel.interval = interval_of(duel.figures.cpu.launches, rank_after(measured.launches));
  return measured;
}

TEST(Judge, WhatABaselineLosesInTurnIsNoGain) {
  EXPECT_EQ(judged(in_turn(0.9e6, 0, 0)).outcome, Outcome::faster);
  // What is faster without is faster, and by so much.
  const Speedup charged = judged(in_turn(0.9e6, 0, 4));
  EXPECT_EQ(charged.outcome, Outcome::faster);
  EXPECT_NEAR(charged.ratio, 1 / 0.9, 2e-3);
  EXPECT_NEAR(charged.low, 1 / 0.9, 3e-3);
  // Nobody wins by it, nor is anybody equal.
  for (double candidate_ns : {0.98e6, 0.995e6, 1e6, 1.02e6, 1.035e6}) {
    const Speedup speedup = judged(in_turn(candidate_ns, 0, 4));
    EXPECT_EQ(speedup.outcome, candidate_ns < 0.99e6 ? Outcome::faster : Outcome::undecided);
    EXPECT_EQ(speedup.reason, candidate_ns < 0.99e6 ? "" : "interference") << candidate_ns;
  }
  // However little it is.
  EXPECT_EQ(judged(in_turn(0.996e6, 0, 1)).reason, "interference");
  // By a large part, it is not known how fast it is.
  EXPECT_EQ(judged(in_turn(0.1e6, 0, 9)).outcome, Outcome::faster);
  EXPECT_EQ(judged(in_turn(0.1e6, 0, 12)).reason, "interference");
}

TEST(Judge, WhereBothLoseInTurnNobodyHasGained) {
  EXPECT_EQ(judged(in_turn(1e6, 4, 4)).outcome, Outcome::equal);
  EXPECT_EQ(judged(in_turn(0.95e6, 15, 15)).outcome, Outcome::faster);
  EXPECT_EQ(judged(in_turn(0.95e6, 3, 0)).outcome, Outcome::faster) << "that costs it alone";
}

// Nobody is charged for what launches do not show; but who is faster by less than that is not.
TEST(Judge, AGainThatLaunchesDoNotShowCountsAgainstWhoIsFasterAlone) {
  auto at = [](double candidate_ns, int lost_in_most) {
    Measured measured = in_turn(candidate_ns, 0, 0);
    for (WindowRecord& window : measured.windows)  // in one launch, it loses nothing
      if (window.use == WindowUse::solo && window.side == 1 && window.launch > 0)
        for (int64_t* time : {&window.wall_ns, &window.cpu_ns}) *time -= *time * lost_in_most / 100;
    measured.duels[0].figures = duel_figures(measured.windows, 1, Metric::cpu);
    return judged(measured);
  };
  EXPECT_EQ(at(1e6, 4).outcome, Outcome::equal);
  EXPECT_EQ(at(0.97e6, 4).reason, "interference");
  const Speedup faster = at(0.9e6, 4);
  EXPECT_EQ(faster.outcome, Outcome::faster);
  EXPECT_NEAR(faster.ratio, 1 / 0.9, 2e-3);
  EXPECT_NEAR(faster.low, 0.96 / 0.9, 3e-3);
}

// What a baseline takes alone has to be known of whoever beats it.
TEST(Judge, NobodyIsFasterWhereNothingTellsOfTheBaselineAlone) {
  auto without_alone = [](int launches) {
    Measured measured = in_turn(0.9e6, 0, 0);
    std::erase_if(measured.windows, [&](const WindowRecord& window) {
      return window.use == WindowUse::solo && window.launch < launches;
    });
    measured.duels[0].figures = duel_figures(measured.windows, 1, Metric::cpu);
    return measured;
  };
  EXPECT_EQ(judged(without_alone(3)).outcome, Outcome::faster);
  EXPECT_EQ(judged(without_alone(4)).reason, "interference");
  Measured disagree = in_turn(0.9e6, 0, 0);
  for (WindowRecord& window : disagree.windows)
    if (window.use == WindowUse::solo && window.side == 0 && window.launch < 2)
      window.process_cpu_ns = window.cpu_ns / 2;
  disagree.duels[0].figures = duel_figures(disagree.windows, 1, Metric::cpu);
  EXPECT_EQ(judged(disagree).reason, "clocks");
}

TEST(Judge, NobodySpeaksOfInterferenceWhereNothingIsDecided) {
  Measured measured = in_turn(0.9e6, 0, 4);
  measured.launches = 5;
  measured.out_of_time = true;
  JudgeSettings strict;
  strict.severities["interference"] = Effect::reject;
  EXPECT_EQ(judge(measured, {}, strict).stage.status, StageStatus::ok);
}

TEST(Judge, WorkAroundWindowsThatCountDecidesNothing) {
  Measured measured = fake_measured({.candidate_ns = 0.9e6, .null_ns = 1e3});
  auto with_around = [&](int64_t candidate_ns, int64_t baseline_ns) {
    for (WindowRecord& window : measured.windows)
      window.around_cpu_ns = window.side == 0 ? candidate_ns : baseline_ns;
    measured.duels[0].figures = duel_figures(measured.windows, 1, Metric::cpu);
    return judged(measured);
  };
  EXPECT_EQ(with_around(200'000, 150'000).outcome, Outcome::faster);
  EXPECT_EQ(with_around(300'000, 150'000).reason, "clocks");
  // What 200 us of 900 gain, 50 of 900 cost: at 0.98 ms it is no gain any more.
  measured = fake_measured({.candidate_ns = 0.98e6, .null_ns = 1e3});
  EXPECT_EQ(with_around(150'000, 150'000).outcome, Outcome::faster);
  EXPECT_EQ(with_around(165'000, 150'000).reason, "clocks");
  // Nobody is blamed for it who is slower anyhow.
  measured = fake_measured({.candidate_ns = 1.1e6, .null_ns = 1e3});
  EXPECT_EQ(with_around(165'000, 150'000).outcome, Outcome::slower);
  measured = fake_measured({.candidate_ns = 0.9e6, .null_ns = 1e3});
  // A native baseline has nothing around its windows to hold it against.
  EXPECT_EQ(with_around(300'000, 0).outcome, Outcome::faster);
}

// A runner that does more around windows than another does so for a program that does nothing.
TEST(Judge, WhatARunnerDoesItselfAroundWindowsIsChargedToNobody) {
  Measured measured = fake_measured({.candidate_ns = 0.9e6, .null_ns = 1e3});
  const std::vector<WindowRecord> windows = measured.windows;
  // Around windows of the candidate and of the baseline, and around those of nothing.
  auto with_runners = [&](int64_t candidate_ns, int64_t baseline_ns, int64_t candidates_own_ns,
                          int64_t baselines_own_ns) {
    measured.windows = windows;
    for (WindowRecord& window : measured.windows)
      window.around_cpu_ns = window.side == 0 ? candidate_ns : baseline_ns;
    for (int side : {0, 1}) {
      WindowRecord empty{.side = side, .use = WindowUse::empty, .calls = 1, .cpu_ns = 1000};
      empty.around_cpu_ns = side == 0 ? candidates_own_ns : baselines_own_ns;
      measured.windows.push_back(empty);
      empty.calls = 99;  // of others it says nothing
      empty.around_cpu_ns = 10'000'000;
      measured.windows.push_back(empty);
    }
    measured.duels[0].figures = duel_figures(measured.windows, 1, Metric::cpu);
    return judged(measured);
  };
  EXPECT_EQ(with_runners(700'000, 60'000, 690'000, 60'000).outcome, Outcome::faster);
  // What the candidate does besides is its own.
  EXPECT_EQ(with_runners(700'000, 60'000, 500'000, 60'000).reason, "clocks");
  // A baseline in a runner that does much hides nothing.
  EXPECT_EQ(with_runners(300'000, 700'000, 60'000, 690'000).reason, "clocks");
  EXPECT_EQ(with_runners(60'000, 700'000, 60'000, 690'000).outcome, Outcome::faster);
  // Less than the empty program's is none.
  EXPECT_EQ(with_runners(60'000, 500'000, 60'000, 690'000).outcome, Outcome::faster);
}

TEST(Judge, ABaselineThatCouldNotBeUsedHasNoSpeedUp) {
  Measured measured = fake_measured({.candidate_ns = 5e5, .null_ns = 1e3});
  Duel unusable;
  unusable.baseline = "inductor";
  unusable.unusable = "it crashed";
  measured.duels.insert(measured.duels.begin(), unusable);
  // The other's windows and process are those of the second side then.
  for (WindowRecord& window : measured.windows) window.side *= 2;
  measured.processes.insert(measured.processes.begin() + 1, ProcessCosts{});
  const Judged judged = judge(measured, {}, {});
  ASSERT_EQ(judged.timing.speedups.size(), 1u);
  EXPECT_EQ(judged.timing.speedups[0].baseline, "eager");
  EXPECT_NEAR(judged.timing.speedups[0].cpu.median_ns, 1e6, 1);
  // An attempt's outcome is by the first baseline: the next does not take its place.
  EXPECT_EQ(judged.timing.speedups[0].outcome, Outcome::undecided);
  EXPECT_EQ(judged.timing.speedups[0].reason, "no-baseline");
  EXPECT_NEAR(judged.timing.speedups[0].ratio, 2, 1e-6);
}

// Twice as fast as the baseline, 500 us.
Measured faster() { return fake_measured({.candidate_ns = 5e5, .null_ns = 1e3}); }

Speedup judged_with(const Measured& measured, const Calibration& calibration) {
  return judge(measured, {}, {{}, calibration}).timing.speedups.at(0);
}

TEST(Judge, WhatMovesItsBytesFasterThanTheMachineDecidesNothing) {
  Measured measured = faster();
  measured.work.compulsory_bytes = 5'000'000;  // 500 us at 10 GB/s
  EXPECT_EQ(judged_with(measured, fake_calibration()).outcome, Outcome::faster);
  measured.work.compulsory_bytes = 6'500'000;
  const Speedup impossible = judged_with(measured, fake_calibration());
  EXPECT_EQ(impossible.outcome, Outcome::undecided);
  EXPECT_EQ(impossible.reason, "impossible");
  EXPECT_EQ(judged(measured).outcome, Outcome::faster) << "nobody knows what the machine can do";
  measured.launches = 5;  // the time was up
  EXPECT_EQ(judged_with(measured, fake_calibration()).reason, "impossible");
}

TEST(Judge, FewerOperationsThanTheDefinitionHasAreSaidAndNotBlamed) {
  Measured measured = faster();
  measured.work.flops = 20'000'000;  // 400 us at 50 GFLOP/s
  EXPECT_TRUE(judge(measured, {}, {{}, fake_calibration()}).timing.labels.empty());
  measured.work.flops = 30'000'000;
  const Judged said = judge(measured, {}, {{}, fake_calibration()});
  EXPECT_EQ(said.timing.labels, std::vector<std::string>{"suspicious"});
  EXPECT_EQ(said.timing.speedups[0].outcome, Outcome::faster);
}

TEST(Judge, TimesStandBesideWhatTheMachineTakesAtLeast) {
  Measured measured = faster();
  measured.work.bytes = 2'500'000;
  measured.work.flops = 5'000'000;
  const Timing timing = judge(measured, {}, {{}, fake_calibration()}).timing;
  EXPECT_EQ(timing.bytes, 2'500'000u);
  EXPECT_EQ(timing.flops, 5'000'000);
  ASSERT_TRUE(timing.bound_ns);
  EXPECT_NEAR(*timing.bound_ns, 250e3, 5e3);
  ASSERT_TRUE(timing.speedups[0].sol_score);
  EXPECT_NEAR(*timing.speedups[0].sol_score, 0.75, 0.01);
  const Timing uncalibrated = judge(measured, {}, {}).timing;
  EXPECT_FALSE(uncalibrated.bound_ns);
  EXPECT_FALSE(uncalibrated.speedups[0].sol_score);
}

TEST(Judge, WhatThisMachineCanDoSaysNothingOfACard) {
  Measured measured = faster();
  measured.is_on_card = true;
  measured.work.bytes = measured.work.compulsory_bytes = 6'500'000;
  const Timing timing = judge(measured, {}, {{}, fake_calibration()}).timing;
  EXPECT_EQ(timing.speedups.at(0).outcome, Outcome::faster);
  EXPECT_FALSE(timing.bound_ns);
  EXPECT_FALSE(timing.speedups[0].sol_score);
}

TEST(Judge, WaitingForACoreIsNoPartOfTheCardsOwnClock) {
  Measured measured = fake_measured({.candidate_ns = 0.9e6, .null_ns = 1e3, .spread = 0.05});
  measured.is_on_card = true;
  for (WindowRecord& window : measured.windows) window.waited_ns = window.wall_ns;
  for (bool is_gated : {false, true}) {
    measured.is_gated = is_gated;
    const Judged said = judge(measured, {}, {});
    EXPECT_EQ(said.timing.speedups.at(0).outcome, is_gated ? Outcome::faster : Outcome::undecided);
  }
}

TEST(Judge, AResultThatIsAlwaysTheSameDecidesNothing) {
  Measured measured = faster();
  measured.results_differ = false;
  EXPECT_EQ(judged(measured).reason, "input-independent");
}

TEST(Judge, APolicySetsWhatRulesDo) {
  const std::vector<std::string> labels{"library"};
  const Judged labelled = judge(faster(), labels, {});
  EXPECT_EQ(labelled.timing.labels, labels);
  EXPECT_EQ(labelled.timing.speedups[0].outcome, Outcome::faster);
  const Judged undecided = judge(faster(), labels, {{{"library", Effect::undecided}}, {}});
  EXPECT_EQ(undecided.timing.speedups[0].reason, "library");
  const Judged rejected = judge(faster(), labels, {{{"library", Effect::reject}}, {}});
  EXPECT_EQ(rejected.stage.status, StageStatus::rejected);
  EXPECT_EQ(rejected.stage.rule, "library");
  Measured contradicted = fake_measured({.candidate_ns = 5e5, .wall_factor = 2.2, .null_ns = 1e3});
  const Judged allowed = judge(contradicted, {}, {{{"clocks", Effect::label}}, {}});
  EXPECT_EQ(allowed.timing.speedups[0].outcome, Outcome::faster);
  EXPECT_EQ(allowed.timing.labels, std::vector<std::string>{"clocks"});
}

TEST(Judge, APolicyMayRejectForLabelsWithoutAnyTiming) {
  EXPECT_FALSE(rejected_for_labels({"library", "fallback"}, {}));
  EXPECT_FALSE(rejected_for_labels({}, {{"library", Effect::reject}}));
  const auto rejected = rejected_for_labels({"library"}, {{"library", Effect::reject}});
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->rule, "library");
  EXPECT_EQ(rejected->stage, Stage::verify);
  EXPECT_TRUE(rejected_for_labels({"library", "fallback"}, {{"fallback", Effect::reject}}));
}

TEST(Judge, EveryRuleSaysWhatItMeans) {
  std::set<std::string_view> names;
  for (const RuleTitle& rule : rule_titles()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name << " is there twice";
    EXPECT_FALSE(rule.meaning.empty()) << rule.name;
  }
  EXPECT_TRUE(names.contains("wrong") && names.contains("clocks") && names.contains("noisy"));
}

}  // namespace
}  // namespace assay
