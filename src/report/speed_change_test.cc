#include "report/speed_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "report/example_run.h"

namespace assay {
namespace {

std::vector<SpeedChange> changes_of(const RunRecord& a, const RunRecord& b,
                                    std::span<const TimedPair> pairs) {
  const std::vector<std::string> fixed{"eager", "inductor"};
  return speed_changes(a, b, pairs, fixed);
}

using Launches = std::vector<double>;

Launches around(double center, double spread, size_t count, std::mt19937& random) {
  std::normal_distribution<double> normal(center, spread);
  Launches launches(count);
  for (double& each : launches) each = normal(random);
  return launches;
}

RunRecord record() {
  RunRecord run = example_run().run;
  run.settings.timing.emplace().against = {"eager"};
  return run;
}

SpeedChange change_between(const Launches& a, const Launches& b) {
  const Attempt in_a = example_launches("product", a), in_b = example_launches("product", b);
  const TimedPair pair{&in_a, &in_b};
  return changes_of(record(), record(), std::span(&pair, 1))[0];
}

TEST(SpeedChange, ASlowdownOfFivePercentIsFound) {
  std::mt19937 random(1);
  for (size_t launches : {6, 12, 24}) {
    const SpeedChange change =
        change_between(around(0.7, 0.004, launches, random), around(0.65, 0.004, launches, random));
    EXPECT_EQ(change.verdict, SpeedVerdict::slower) << launches;
    EXPECT_EQ(change.reason, "");
    EXPECT_EQ(change.launches, static_cast<int>(launches));
    EXPECT_LT(change.log_ratio.low, -0.05);
    EXPECT_GT(change.log_ratio.high, -0.05);
    EXPECT_EQ(change.baseline, "eager");
  }
  EXPECT_EQ(change_between(around(0.65, 0.004, 6, random), around(0.7, 0.004, 6, random)).verdict,
            SpeedVerdict::faster);
}

TEST(SpeedChange, WhatIsWithinTheDeadBandIsTheSame) {
  const Launches a{0.700, 0.701, 0.699, 0.702, 0.698, 0.7005};
  Launches b = a;
  for (double& each : b) each -= 0.004;
  EXPECT_EQ(change_between(a, b).verdict, SpeedVerdict::same);
  // Plainly another, by order; and by less than what is no difference.
  for (double& each : b) each -= 0.0055;
  const SpeedChange change = change_between(a, b);
  EXPECT_NE(change.verdict, SpeedVerdict::slower);
}

TEST(SpeedChange, NoiseIsUndecided) {
  std::mt19937 random(2);
  const SpeedChange change =
      change_between(around(0.7, 0.2, 6, random), around(0.7, 0.2, 6, random));
  EXPECT_EQ(change.verdict, SpeedVerdict::undecided);
  EXPECT_EQ(change.reason, "noisy");
  EXPECT_NE(change.why, "");
}

// The same program in both, heavy tails and all: among ten attempts any is called changed in at
// most 5 % of comparisons of runs. Without the dead band's help, since the noise is far above it.
TEST(SpeedChange, UnchangedRunsAreRarelyCalledChanged) {
  std::mt19937 random(5);
  std::cauchy_distribution<double> heavy(0, 0.05);
  constexpr int kRuns = 200, kAttempts = 10;
  int alarms = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Attempt> a, b;
    std::vector<TimedPair> pairs;
    for (int i = 0; i < kAttempts; ++i)
      for (std::vector<Attempt>* side : {&a, &b}) {
        Launches launches(6);
        for (double& each : launches) each = heavy(random);
        side->push_back(example_launches("product", launches));
      }
    for (size_t i = 0; i < kAttempts; ++i) pairs.push_back({&a[i], &b[i]});
    bool any = false;
    for (const SpeedChange& change : changes_of(record(), record(), pairs))
      any |= change.verdict == SpeedVerdict::faster || change.verdict == SpeedVerdict::slower;
    alarms += any ? 1 : 0;
  }
  // 5 % of 200 and four standard deviations.
  EXPECT_LE(alarms, 10 + 4 * 3.1);
}

// How many launches there are depends on what they showed: six where all were on one side of the
// baseline, else more. Runs that are alike are not to differ by that.
TEST(SpeedChange, StoppingWhenItIsDecidedAddsNoFalseAlarms) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal(0.03, 0.03);  // half of all six are on one side
  auto measured = [&] {
    Launches launches;
    for (size_t look : {6, 12, 24}) {
      while (launches.size() < look) launches.push_back(normal(random));
      const int rank = rank_after(static_cast<int>(look));
      if (decided(interval_of(launches, rank))) break;
    }
    return launches;
  };
  int alarms = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    const SpeedVerdict verdict = change_between(measured(), measured()).verdict;
    alarms += verdict == SpeedVerdict::faster || verdict == SpeedVerdict::slower ? 1 : 0;
  }
  EXPECT_LE(alarms, 100 + 4 * 10);
}

// Of `count` attempts the first `slower` ones lost half their speed; the others vary by little.
std::vector<SpeedChange> changes_among(size_t count, size_t slower, size_t launches = 6) {
  std::mt19937 random(8);
  std::vector<Attempt> a, b;
  for (size_t i = 0; i < count; ++i) {
    a.push_back(example_launches("product", around(0.7, 0.003, launches, random)));
    b.push_back(
        example_launches("product", around(i < slower ? 0.2 : 0.7, 0.003, launches, random)));
  }
  std::vector<TimedPair> pairs;
  for (size_t i = 0; i < count; ++i) pairs.push_back({&a[i], &b[i]});
  return changes_of(record(), record(), pairs);
}

size_t count_of(const std::vector<SpeedChange>& changes, SpeedVerdict verdict) {
  return static_cast<size_t>(std::ranges::count(changes, verdict, &SpeedChange::verdict));
}

TEST(SpeedChange, OneSlowdownAmongManyIsFound) {
  for (size_t count : {1, 20, 21, 500}) {
    const std::vector<SpeedChange> changes = changes_among(count, 1);
    EXPECT_EQ(changes[0].verdict, SpeedVerdict::slower) << count;
    EXPECT_EQ(count_of(changes, SpeedVerdict::slower), 1u) << count;
    // 2 / 924 / 0.9 is the least chance of six launches each; corrected for 20 at most.
    EXPECT_NEAR(changes[0].adjusted,
                static_cast<double>(std::min<size_t>(count, 20)) * 2 / 924 / 0.9, 1e-12);
  }
}

TEST(SpeedChange, OfManySlowdownsTwentyAreConfirmedBySixLaunchesAndAllByTwelve) {
  const std::vector<SpeedChange> by_six = changes_among(100, 30);
  EXPECT_EQ(count_of(by_six, SpeedVerdict::slower), 20u);
  EXPECT_EQ(std::ranges::count(by_six, kCorrection, &SpeedChange::reason), 10);
  EXPECT_EQ(count_of(changes_among(100, 30, 12), SpeedVerdict::slower), 30u);
}

// The twenty that fall apart most are picked without knowing which launch is of which run.
TEST(SpeedChange, PickingTheMostDifferentAddsNoFalseAlarms) {
  std::mt19937 random(9);
  std::cauchy_distribution<double> heavy(0, 0.05);
  constexpr int kRuns = 100, kAttempts = 40;
  int alarms = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Attempt> a, b;
    for (int i = 0; i < kAttempts; ++i)
      for (std::vector<Attempt>* side : {&a, &b}) {
        Launches launches(6);
        for (double& each : launches) each = heavy(random);
        side->push_back(example_launches("product", launches));
      }
    std::vector<TimedPair> pairs;
    for (size_t i = 0; i < kAttempts; ++i) pairs.push_back({&a[i], &b[i]});
    const std::vector<SpeedChange> changes = changes_of(record(), record(), pairs);
    alarms += count_of(changes, SpeedVerdict::slower) + count_of(changes, SpeedVerdict::faster) > 0
                  ? 1
                  : 0;
  }
  // 5 % of 100 and four standard deviations.
  EXPECT_LE(alarms, 5 + 4 * 2.2);
}

class Conditions : public testing::Test {
 protected:
  SpeedChange changed() {
    const TimedPair pair{&in_a_, &in_b_};
    return changes_of(a_, b_, std::span(&pair, 1))[0];
  }
  void expect_refused(std::string_view reason, const std::string& named) {
    const SpeedChange change = changed();
    EXPECT_EQ(change.verdict, SpeedVerdict::undecided);
    EXPECT_EQ(change.reason, reason);
    EXPECT_NE(change.why.find(named), std::string::npos) << change.why;
    EXPECT_EQ(change.launches, 0);
  }

  RunRecord a_ = record(), b_ = record();
  Attempt in_a_ = example_launches("product", Launches(6, 0.7)),
          in_b_ = example_launches("product", Launches(6, 0.2));
};

TEST_F(Conditions, OfOneKindGiveAVerdict) {
  EXPECT_EQ(changed().verdict, SpeedVerdict::slower);
  // The compiler is what runs are compared for.
  b_.machine["iree-base-compiler"] = "9.9";
  EXPECT_EQ(changed().verdict, SpeedVerdict::slower);
}

TEST_F(Conditions, AnotherMachineIsRefused) {
  b_.machine["host"] = "other";
  expect_refused(kConditions, "host");
}
TEST_F(Conditions, RunsMergedOfSeveralMachinesAreRefused) {
  for (RunRecord* run : {&a_, &b_}) run->machine["host"] = {"one", "two"};
  expect_refused(kConditions, "host");
}
TEST_F(Conditions, OtherVersionsAreRefused) {
  b_.machine["torch"] = "2.14.0";
  b_.assay_version = "9";
  expect_refused(kConditions, "assay, torch");
}
TEST_F(Conditions, AnotherMachineThatSaysMoreIsRefused) {
  b_.machine["GPU"] = "new";
  expect_refused(kConditions, "GPU");
}
TEST_F(Conditions, AnotherProblemIsRefused) {
  in_b_.origin.problem_sha256 = std::string(64, 'e');
  expect_refused(kConditions, "problem");
}
TEST_F(Conditions, OtherCachesThreadsAndClocksAreRefused) {
  in_b_.timing->cache = CacheMode::cold;
  in_b_.timing->threads = 2;
  in_b_.timing->metric = Metric::wall;
  in_b_.isolation = "L1";
  expect_refused(kConditions, "isolation, metric, cache, threads");
}
TEST_F(Conditions, ALookIsNoProof) {
  in_a_.timing->provisional = true;
  expect_refused("quick", "--quick");
}
TEST_F(Conditions, WithoutACommonBaselineThereIsNothingToCompare) {
  in_b_.timing->speedups[0].baseline = "inductor";
  expect_refused(kBaseline, "eager or inductor");
}
TEST_F(Conditions, AFileMayHaveChanged) {
  for (RunRecord* run : {&a_, &b_}) run->settings.timing->against = {"file:/kernels/eager"};
  expect_refused(kBaseline, "file");
}
TEST_F(Conditions, ABaselineThatMovedIsAnotherStateOfTheMachine) {
  in_b_.timing->speedups[0].cpu.median_ns *= 1.2;
  expect_refused(kBaseline, "1.20 times as long");
}
TEST_F(Conditions, WhatARuleDoubtsIsNotCompared) {
  in_b_.timing->speedups[0].outcome = Outcome::undecided;
  in_b_.timing->speedups[0].reason = "interference";
  expect_refused("interference", "in B");
}
TEST_F(Conditions, FewLaunchesAreNotEnough) {
  in_a_ = example_launches("product", Launches(5, 0.7));
  expect_refused(kFewLaunches, "5 launches in A");
  in_a_.stages[3].evidence = nullptr;
  expect_refused(kFewLaunches, "recorded");
}
TEST_F(Conditions, EvidenceOfAnotherFormIsNone) {
  for (const Json& against :
       {Json(7), Json("x"), Json{7, nullptr, {{"baseline", 3}}}, Json{{{"baseline", "eager"}}},
        Json{{{"baseline", "eager"}, {"cpu", "x"}}},
        Json{{{"baseline", "eager"}, {"cpu", {{"launches", {"x"}}}}}}}) {
    in_a_.stages[3].evidence = {{"against", against}};
    expect_refused(kFewLaunches, "recorded");
  }
}
TEST_F(Conditions, WhatWasNotTimedIsSaid) {
  in_b_.timing.reset();
  expect_refused(kNotTimed, "in B");
}
// Windows that cost more than before may be all that changed.
TEST_F(Conditions, WhatWindowsCostIsNoChange) {
  in_a_ = example_launches("product", Launches(6, 0.70));
  in_b_ = example_launches("product", Launches(6, 0.66));
  EXPECT_EQ(changed().verdict, SpeedVerdict::slower);
  in_b_.stages[3].evidence["against"][0]["cpu"]["null_candidate"] = 0.06;
  EXPECT_EQ(changed().verdict, SpeedVerdict::undecided);
}
TEST_F(Conditions, WhatOneGainsBySlowingTheBaselineIsNoChange) {
  in_a_ = example_launches("product", Launches(6, 0.66));
  in_b_ = example_launches("product", Launches(6, 0.70));
  EXPECT_EQ(changed().verdict, SpeedVerdict::faster);
  in_b_.stages[3].evidence["against"][0]["interference"] = Launches(6, 0.05);
  EXPECT_EQ(changed().verdict, SpeedVerdict::undecided);
}

}  // namespace
}  // namespace assay
