#include "report/league.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/example_run.h"

namespace assay {
namespace {

const std::string kFixed[] = {"eager"};

// Ratios against eager, by launch, as ln.
Attempt entry(const std::string& author, const std::string& problem, double log_ratio) {
  std::vector<double> launches;
  for (int i = 0; i < 12; ++i) launches.push_back(log_ratio + 0.001 * i);
  Attempt attempt = example_launches(problem, launches);
  attempt.author = author;
  Speedup& speedup = attempt.timing->speedups.front();
  speedup.ratio = std::exp(log_ratio);
  speedup.low = speedup.ratio * 0.99;
  speedup.high = speedup.ratio * 1.02;
  speedup.outcome = log_ratio > 0.01 ? Outcome::faster : Outcome::slower;
  attempt.id = attempt_id(attempt, true);
  return attempt;
}

Attempt rejected_by(const std::string& author, const std::string& problem) {
  Attempt attempt = example_verified(problem, "local");
  attempt.author = author;
  attempt.stages.back().status = StageStatus::rejected;
  attempt.stages.back().rule = "wrong";
  attempt.stages.back().error = "why";
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, true);
  return attempt;
}

ReportInput entered(const std::string& folder, const std::vector<Attempt>& attempts) {
  ReportInput input = example_run();
  input.folder = folder;
  input.run.settings.timing.emplace().against = {"eager"};
  input.attempts = attempts;
  return input;
}

TEST(League, SaysWhoIsFasterOnTheProblemsThatAllHave) {
  const std::vector<ReportInput> runs{
      entered("a", {entry("mine", "p", 0.7), entry("mine", "q", 0.1), rejected_by("mine", "r"),
                    entry("mine", "s", 1)}),
      entered("b",
              {entry("yours", "p", 0.2), entry("yours", "q", 0.1), entry("yours", "r", -0.3)})};
  const League league = league_of(runs, kFixed);
  EXPECT_EQ(league.problems, 3u);
  ASSERT_EQ(league.entrants.size(), 2u);
  const Entrant &mine = league.entrants[0], &yours = league.entrants[1];
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.correct, 2u);
  EXPECT_EQ(mine.faster, 2u);
  EXPECT_EQ(mine.wins, 1u);
  EXPECT_EQ(mine.losses, 0u);
  EXPECT_NEAR(mine.geometric_mean, std::exp(0.8 / 3), 1e-9) << "what is wrong counts as 1";
  EXPECT_EQ(yours.correct, 3u);
  EXPECT_EQ(yours.faster, 2u);
  ASSERT_EQ(league.matches.size(), 1u);
  const Match& match = league.matches.front();
  EXPECT_EQ(match.problems, 3u);
  EXPECT_EQ(match.a_faster, 1u);
  EXPECT_EQ(match.same + match.undecided, 1u);
  EXPECT_EQ(match.only_b, 1u);
}

TEST(League, AnAuthorOfSeveralRunsIsNamedWithItsRun) {
  const std::vector<ReportInput> runs{entered("a", {entry("mine", "p", 0.7)}),
                                      entered("b", {entry("mine", "p", 0.2)})};
  const League league = league_of(runs, kFixed);
  ASSERT_EQ(league.entrants.size(), 2u);
  EXPECT_EQ(league.entrants[0].name, "mine (a)");
  EXPECT_EQ(league.entrants[1].name, "mine (b)");
}

TEST(League, OfSeveralCandidatesTheSurestCounts) {
  Attempt second = entry("mine", "p", 0.7);
  second.candidate = 2;
  second.id = attempt_id(second, true);
  const std::vector<ReportInput> runs{entered("a", {rejected_by("mine", "p"), second}),
                                      entered("b", {entry("yours", "p", 0.2)})};
  EXPECT_EQ(league_of(runs, kFixed).entrants[0].wins, 1u);
}

TEST(League, WhatIsTheSameIsWonByNobody) {
  const std::vector<ReportInput> runs{entered("a", {entry("mine", "p", 0.5)}),
                                      entered("b", {entry("yours", "p", 0.5)})};
  const League league = league_of(runs, kFixed);
  EXPECT_EQ(league.entrants[0].wins + league.entrants[1].wins, 0u);
}

}  // namespace
}  // namespace assay
