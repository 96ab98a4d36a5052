#include "measure/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fakes/windows.h"

namespace assay {
namespace {

TEST(Figures, ARatioIsOfTheBaselinesTimeOverTheCandidates) {
  const auto windows = fake_windows({.candidate_ns = 1e6, .baseline_ns = 2e6, .launches = 3});
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  ASSERT_EQ(figures.cpu.launches.size(), 3u);
  ASSERT_EQ(figures.cpu.pairs.size(), 12u);
  for (double each : figures.cpu.pairs) EXPECT_NEAR(each, std::log(2), 1e-9);
  EXPECT_NEAR(figures.cpu.null_candidate, 0.02, 1e-9);
  EXPECT_NEAR(figures.cpu.null_baseline, 0.01, 1e-9);
  for (double each : figures.interference) EXPECT_NEAR(each, 0, 1e-9);
}

TEST(Figures, WindowsOfSeveralCallsCountByTheCall) {
  auto windows = fake_windows({.launches = 1});
  for (WindowRecord& window : windows)
    if (window.side == 0 && window.use == WindowUse::pair) window.calls = 10;
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_NEAR(figures.cpu.launches.front(), std::log(10), 1e-9);
  EXPECT_NEAR(times_of(windows, 0, Metric::cpu).median_ns, 1e5, 1e-6);
  EXPECT_NEAR(figures.cpu.null_candidate, 0.02, 1e-9);  // of the window, whatever is in it
}

// In whatever order they were: a unit of several sources once took a quantile() that wants them
// sorted.
TEST(Figures, FewTimesLieBelowTheFifthPercentileAndFewAboveTheNinetyFifth) {
  auto windows = fake_windows({.launches = 1, .pairs = 20});
  int64_t ns = 2'000'000;
  for (WindowRecord& window : windows)
    if (window.side == 0 && window.use == WindowUse::pair) window.cpu_ns = ns -= 50'000;
  ASSERT_EQ(ns, 1'000'000);
  const Times times = times_of(windows, 0, Metric::cpu);
  EXPECT_EQ(times.p5_ns, 1e6);
  EXPECT_EQ(times.median_ns, 1.475e6);
  EXPECT_EQ(times.p95_ns, 1.9e6);
}

// What the judge does beside calls in Python is no part of them either.
TEST(Figures, WhatIsDoneBesideCallsIsAWindowsOwnCost) {
  auto windows = fake_windows({.null_ns = 1e3, .launches = 2});
  for (int launch : {0, 1})
    windows.push_back({launch, 9, 0, 1, WindowUse::beside, 1, 40'000, 40'000, ""});
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_NEAR(figures.cpu.null_candidate, 0.001, 1e-9);
  EXPECT_NEAR(figures.cpu.null_baseline, 0.04, 1e-9);
  EXPECT_NEAR(figures.cpu.beside_baseline, 0.039, 1e-9);
  EXPECT_EQ(duel_figures(windows, 0, Metric::cpu).cpu.beside_baseline, 0);
  for (int launch : {0, 1})
    windows.push_back({launch, 9, 1, 0, WindowUse::beside, 1, 30'000, 30'000, ""});
  EXPECT_EQ(duel_figures(windows, 1, Metric::cpu).cpu.beside_baseline, 0) << "both are in Python";
  EXPECT_EQ(first_call_ns({&windows.back(), 1}, 0), 0);
}

TEST(Figures, AFirstCallIsTheFirstWindowOfItsProcess) {
  auto windows = fake_windows({.candidate_ns = 2e6, .launches = 3});
  for (const auto& [launch, cpu_ns] : {std::pair{0, 5'000'000}, {1, 90'000'000}, {2, 7'000'000}})
    windows.insert(windows.begin(), {launch, 0, 0, 0, WindowUse::warm_up, 1, cpu_ns, cpu_ns, ""});
  EXPECT_NEAR(first_call_ns(windows, 0), 7e6, 1e-6);
  EXPECT_NEAR(first_call_ns(windows, 1), 1e6, 1e-6);
  EXPECT_EQ(first_call_ns({}, 0), 0);
}

TEST(Figures, OfALaunchTheMedianCountsAndNoPairIsThrownAway) {
  auto windows = fake_windows({.launches = 1, .pairs = 5});
  int stolen = 0;
  for (WindowRecord& window : windows)
    if (window.side == 1 && window.use == WindowUse::pair && stolen++ < 2) window.cpu_ns *= 40;
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_EQ(figures.cpu.pairs.size(), 5u);
  EXPECT_NEAR(figures.cpu.launches.front(), 0, 1e-9);
}

TEST(Figures, APairWhoseClockStoodStillIsInvalidAndCounted) {
  auto windows = fake_windows({.launches = 1, .pairs = 5});
  for (WindowRecord& window : windows)
    if (window.round == 2 && window.side == 0) window.cpu_ns = 0;
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_EQ(figures.cpu.pairs.size(), 4u);
  EXPECT_EQ(figures.cpu.invalid, 1);
  EXPECT_EQ(figures.wall.invalid, 0);
}

TEST(Figures, APairOfWhichTwoClocksSayDifferentThingsIsInvalid) {
  auto windows = fake_windows({.launches = 1, .pairs = 5});
  for (WindowRecord& window : windows) {
    window.process_cpu_ns = window.cpu_ns + 30'000;  // of a millisecond: 20 us and 2 % are allowed
    if (window.round == 3 && window.side == 1) window.process_cpu_ns = window.cpu_ns / 2;
  }
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_EQ(figures.cpu.pairs.size(), 4u);
  EXPECT_EQ(figures.cpu.invalid, 1);
  EXPECT_EQ(figures.wall.invalid, 0) << "the clock on the wall is another one";
}

TEST(Figures, InterferenceIsWhatABaselineLosesAmongOthersMoreThanTheCandidate) {
  auto windows = fake_windows({.candidate_ns = 5e5, .solo_factor = 0.8, .launches = 3});
  auto interference = [&] { return duel_figures(windows, 1, Metric::cpu).interference; };
  ASSERT_EQ(interference().size(), 3u);
  for (double each : interference()) EXPECT_NEAR(each, std::log(1.25), 1e-9);
  // The first one alone comes behind another program, and is not counted.
  for (size_t n = 1; n < windows.size(); ++n)
    if (windows[n].use == WindowUse::solo && windows[n - 1].side != windows[n].side)
      windows[n].cpu_ns *= 7;
  for (double each : interference()) EXPECT_NEAR(each, std::log(1.25), 1e-9);
  for (WindowRecord& window : windows)
    if (window.use == WindowUse::solo && window.side == 0) window.cpu_ns = 400'000;
  for (double each : interference()) EXPECT_NEAR(each, 0, 1e-9);
}

// They tell nothing, and do not go unseen.
TEST(Figures, WindowsAloneWhoseClocksDisagreeAreCounted) {
  auto windows = fake_windows({.launches = 3});
  for (WindowRecord& window : windows) {
    window.process_cpu_ns = window.cpu_ns;
    if (window.use == WindowUse::solo && window.side == 0) window.process_cpu_ns = 0;
  }
  const DuelFigures figures = duel_figures(windows, 1, Metric::cpu);
  EXPECT_TRUE(figures.interference.empty());
  EXPECT_EQ(figures.alone, 6);
  EXPECT_EQ(figures.alone_invalid, 3);
}

// Who works in windows in which nothing is called seems to take less in others.
TEST(Figures, ACandidatesNullIsNoMoreThanTheBaselines) {
  auto windows = fake_windows({.null_ns = 10e3, .launches = 2, .calls = 10});
  auto single_gain = [&] { return duel_figures(windows, 1, Metric::cpu).singles->single_gain_ns; };
  const double before = single_gain();
  for (WindowRecord& window : windows)
    if (window.use == WindowUse::null && window.side == 0) window.cpu_ns = 5'000'000;
  EXPECT_EQ(single_gain(), before);
}

// Who warms up before the clock runs is quick where it is called alone, and gains nothing by that.
TEST(Figures, WhatIsDoneAroundCallsAloneIsTheirs) {
  auto windows = fake_windows({.launches = 2, .calls = 10});
  auto around = [&](WindowUse use, int64_t candidate_ns) {
    for (WindowRecord& window : windows) {
      if (window.use == WindowUse::pair || window.use == use) window.around_cpu_ns = 90'000;
      if (window.use == use && window.side == 0) window.around_cpu_ns = candidate_ns;
    }
    return duel_figures(windows, 1, Metric::cpu);
  };
  const double alike = around(WindowUse::single, 90'000).singles->single_gain_ns;
  const DuelFigures more = around(WindowUse::single, 130'000);
  EXPECT_EQ(more.around_ns, 40'000);
  EXPECT_EQ(more.singles->single_gain_ns, alike - 40'000);
  // Nobody gains by doing less.
  EXPECT_EQ(around(WindowUse::single, 50'000).singles->single_gain_ns, alike);
}

TEST(Figures, InterferenceIsOfTheClockThatDecides) {
  auto windows = fake_windows({});
  for (WindowRecord& window : windows)
    if (window.use == WindowUse::solo && window.side == 1) window.wall_ns /= 2;
  const DuelFigures by_wall = duel_figures(windows, 1, Metric::wall);
  ASSERT_FALSE(by_wall.interference.empty());
  for (double each : by_wall.interference) EXPECT_NEAR(each, std::log(2), 1e-6);
  for (double each : duel_figures(windows, 1, Metric::cpu).interference) EXPECT_NEAR(each, 0, 1e-9);
}

// Whatever a window costs either program, the ratio without that lies in the wider interval.
TEST(Figures, TheIntervalIsWidenedByWhatWindowsCost) {
  SpeedRatios ratios;
  ratios.null_candidate = 0.10;
  ratios.null_baseline = 0.02;
  const Interval wide = with_window_costs({0.5, 0.6, 0.7}, ratios);
  EXPECT_NEAR(wide.low, 0.5 + std::log(0.98), 1e-9);
  EXPECT_NEAR(wide.high, 0.7 - std::log(0.90), 1e-9);
  EXPECT_EQ(wide.estimate, 0.6);
  ratios.beside_baseline = 0.01;
  EXPECT_NEAR(with_window_costs({0.5, 0.6, 0.7}, ratios).estimate, 0.6 + std::log(0.99), 1e-9);
  ratios.null_candidate = 1.5;
  EXPECT_GT(with_window_costs({0.5, 0.6, 0.7}, ratios).high, 13);
}

TEST(Figures, MoreLaunchesAreInVainWhereWindowsHideAllThatIsOpen) {
  SpeedRatios ratios;
  ratios.null_candidate = ratios.null_baseline = 0.02;
  EXPECT_TRUE(is_beyond_resolution({-0.01, 0, 0.01}, ratios)) << "neither equal nor apart";
  EXPECT_TRUE(is_beyond_resolution({0.012, 0.02, 0.029}, ratios));
  EXPECT_FALSE(is_beyond_resolution({0.012, 0.02, 0.032}, ratios)) << "it may be faster";
  EXPECT_FALSE(is_beyond_resolution({-0.032, 0, 0.01}, ratios)) << "it may be slower";
  ratios.null_candidate = ratios.null_baseline = 0.005;
  EXPECT_FALSE(is_beyond_resolution({-0.02, 0, 0.02}, ratios)) << "it may be equal";
  EXPECT_TRUE(is_beyond_resolution({0.008, 0.01, 0.012}, ratios));
  ratios.null_baseline = 1;
  EXPECT_FALSE(is_beyond_resolution({-0.2, -0.1, 0}, ratios));
}

}  // namespace
}  // namespace assay
