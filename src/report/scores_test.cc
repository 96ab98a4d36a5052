#include "report/scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/example_run.h"

namespace assay {
namespace {

Attempt by(const std::string& author, const std::string& problem, int candidate = 1) {
  Attempt attempt = example_verified(problem, "local");
  attempt.author = author;
  attempt.candidate = candidate;
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, attempt.author != "iree");
  return attempt;
}

Attempt wrong(const std::string& author, const std::string& problem, int candidate = 1) {
  Attempt attempt = by(author, problem, candidate);
  attempt.stages.back().status = StageStatus::rejected;
  attempt.stages.back().rule = "wrong";
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

Attempt timed(Attempt attempt, double ratio, double low, Outcome outcome,
              const std::string& reason = "") {
  return example_timed(std::move(attempt),
                       {"eager", ratio, low, ratio * 2, outcome, reason, {}, {}});
}

double share_over(const Score& score, double threshold) {
  for (const FastShare& each : score.fast)
    if (each.threshold == threshold) return each.by_estimate;
  ADD_FAILURE() << threshold;
  return -1;
}

double share_by_low(const Score& score, double threshold) {
  for (const FastShare& each : score.fast)
    if (each.threshold == threshold) return each.by_low;
  ADD_FAILURE() << threshold;
  return -1;
}

TEST(Scores, NothingTimedHasNone) {
  EXPECT_TRUE(scores_of({by("mine", "a"), wrong("mine", "b")}).empty());
}

TEST(Scores, WhoIsFasterOfManyNeedsToBeSoWithLessChance) {
  auto with = [](double chance) {
    std::vector<Attempt> attempts{timed(by("mine", "a"), 2, 1.4, Outcome::faster)};
    attempts[0].timing->speedups[0].chance = chance;
    for (const char* other : {"b", "c", "d"})
      attempts.push_back(timed(by("mine", other), 1.0, 0.995, Outcome::equal));
    return attempts;
  };
  EXPECT_EQ(scores_of(with(0.012)).at(0).faster_among_all, 1u);
  EXPECT_EQ(scores_of(with(0.013)).at(0).faster_among_all, 0u) << "0.05 for four of them";
  std::vector<Attempt> provisional = with(0.012);
  provisional[0].timing->speedups[0].chance.reset();
  EXPECT_EQ(scores_of(provisional).at(0).faster_among_all, 0u);
  EXPECT_EQ(scores_of(provisional).at(0).faster, 1u);
}

TEST(Scores, WhereTimesAreProvisionalNoLowerBoundCounts) {
  std::vector<Attempt> attempts{timed(by("mine", "a"), 2, 1.4, Outcome::faster)};
  attempts[0].timing->provisional = true;
  const Score score = scores_of(attempts).at(0);
  EXPECT_DOUBLE_EQ(share_over(score, 1.5), 1);
  EXPECT_DOUBLE_EQ(share_by_low(score, 1), 0);
}

TEST(Scores, EveryPlannedProblemIsInTheDenominator) {
  const std::vector<Score> scores =
      scores_of({timed(by("mine", "a"), 2, 1.4, Outcome::faster),
                 timed(by("mine", "b"), 1.0, 0.995, Outcome::equal),
                 timed(by("mine", "c"), 0.8, 0.7, Outcome::slower), wrong("mine", "d")});
  ASSERT_EQ(scores.size(), 1u);
  const Score& score = scores[0];
  EXPECT_EQ(score.level, "tour/level1");
  EXPECT_EQ(score.baseline, "eager");
  EXPECT_EQ(score.problems, 4u);
  EXPECT_EQ(score.correct, 3u);
  EXPECT_EQ(score.faster + score.equal + score.slower, 3u);
  EXPECT_EQ(share_over(score, 0), 0.75);
  EXPECT_EQ(share_over(score, 0.5), 0.75);
  EXPECT_EQ(share_over(score, 0.8), 0.5);  // 0.8 is not more than 0.8
  EXPECT_EQ(share_over(score, 1), 0.25);   // nor is 1.0 more than 1
  EXPECT_EQ(share_over(score, 1.5), 0.25);
  EXPECT_EQ(share_over(score, 2), 0);
  EXPECT_EQ(share_by_low(score, 0), 0.75);
  EXPECT_EQ(share_by_low(score, 0.8), 0.5);
  EXPECT_EQ(share_by_low(score, 1), 0.25);
  EXPECT_EQ(share_by_low(score, 1.5), 0);
  // The cube root of 2 x 1 x 0.8, and with the wrong one as 1.0 the fourth.
  EXPECT_NEAR(*score.geometric_mean, std::cbrt(1.6), 1e-12);
  EXPECT_NEAR(score.geometric_mean_of_all, std::pow(1.6, 0.25), 1e-12);
  EXPECT_TRUE(score.at_k.empty());
}

TEST(Scores, UndecidedIsShownApartAndCountsAsFarAsItsTimesHold) {
  const Score score =
      scores_of({timed(by("mine", "a"), 1.3, 1.1, Outcome::undecided, "budget"),
                 timed(by("mine", "b"), 4, 3.9, Outcome::undecided, "interference"),
                 timed(by("mine", "c"), 1.2, 0.9, Outcome::undecided, "noisy"),
                 timed(by("mine", "d"), 4, 3.9, Outcome::undecided, "of a rule to come")})[0];
  EXPECT_EQ(score.undecided, 4u);
  EXPECT_EQ(share_over(score, 0), 1);
  EXPECT_EQ(share_over(score, 1), 0.5);  // a and c: the times of the others are distrusted
  EXPECT_EQ(share_by_low(score, 0), 1);
  EXPECT_EQ(share_by_low(score, 0.5), 0.25);  // c: a has too few launches for an interval
  EXPECT_EQ(share_by_low(score, 1), 0);
  EXPECT_EQ(score.in_mean, 2u);
  EXPECT_NEAR(*score.geometric_mean, std::sqrt(1.3 * 1.2), 1e-12);
  EXPECT_NEAR(score.geometric_mean_of_all, std::pow(1.3 * 1.2, 0.25), 1e-12);
}

TEST(Scores, WhoHasNothingRightHasNoMean) {
  const std::vector<Score> scores = scores_of(
      {timed(by("mine", "a"), 2, 1.9, Outcome::faster), by("other", "a"), wrong("worse", "a")});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[1].author, "other");
  EXPECT_EQ(scores[1].untimed, 1u);
  EXPECT_FALSE(scores[1].geometric_mean);
  EXPECT_EQ(scores[2].correct, 0u);
  EXPECT_EQ(scores[2].geometric_mean_of_all, 1);
  EXPECT_EQ(share_over(scores[2], 0), 0);
}

TEST(Scores, ASuiteOfSeveralLevelsHasARowForAllOfThem) {
  Attempt other = timed(by("mine", "a"), 2, 1.9, Outcome::faster);
  const std::vector<Attempt> one{timed(by("mine", "a"), 4, 3.9, Outcome::faster)};
  EXPECT_EQ(scores_of(one).size(), 1u);
  other.level = "level2";
  const std::vector<Score> scores = scores_of({one[0], other});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].level, other.suite);
  EXPECT_EQ(scores[0].problems, 2u) << "of one name, and two problems";
  EXPECT_NEAR(*scores[0].geometric_mean, std::sqrt(8), 1e-12);
  EXPECT_EQ(scores[1].problems, 1u);
  EXPECT_EQ(scores[2].level, other.suite + "/level2");
}

TEST(Scores, OneExtremeSpeedUpIsLimitedAndCounted) {
  const Score score = scores_of({timed(by("mine", "a"), 1e300, 1e299, Outcome::faster),
                                 timed(by("mine", "b"), 1, 0.999, Outcome::equal)})[0];
  EXPECT_EQ(score.limited, 1u);
  EXPECT_NEAR(*score.geometric_mean, 10, 1e-9);
}

TEST(Scores, SeveralCandidatesCountForTheirPart) {
  // Of a: 2.0x, 0.5x, wrong; of b: 4.0x alone.
  const Score score =
      scores_of({timed(by("mine", "a"), 2, 1.9, Outcome::faster),
                 timed(by("mine", "a", 2), 0.5, 0.4, Outcome::slower), wrong("mine", "a", 3),
                 timed(by("mine", "b"), 4, 3.9, Outcome::faster)})[0];
  EXPECT_EQ(score.problems, 2u);
  EXPECT_EQ(score.candidates, 4u);
  EXPECT_NEAR(share_over(score, 0), (2.0 / 3 + 1) / 2, 1e-12);
  EXPECT_NEAR(share_over(score, 1), (1.0 / 3 + 1) / 2, 1e-12);
  EXPECT_NEAR(*score.geometric_mean, std::sqrt(1.0 * 4), 1e-12);
  ASSERT_EQ(score.at_k.size(), 3u);
  EXPECT_EQ(score.at_k[0].k, 1u);
  EXPECT_NEAR(score.at_k[0].pass, (2.0 / 3 + 1) / 2, 1e-12);
  EXPECT_NEAR(score.at_k[0].best, std::sqrt(1.0 * 4), 1e-12);
  // Of 3 pairs of a's, all have a right one; the best are 2, 2 and, of 0.5 and the wrong one, 1.
  EXPECT_EQ(score.at_k[1].k, 2u);
  EXPECT_EQ(score.at_k[1].pass, 1);
  EXPECT_NEAR(score.at_k[1].best, std::sqrt(std::pow(2, 2.0 / 3) * 4), 1e-12);
  EXPECT_EQ(score.at_k[2].k, 3u);
  EXPECT_NEAR(score.at_k[2].best, std::sqrt(2.0 * 4), 1e-12);
}

TEST(Scores, EachBaselineHasItsOwn) {
  Attempt attempt = timed(by("mine", "a"), 2, 1.9, Outcome::faster);
  attempt.timing->speedups.push_back({"inductor", 0.5, 0.4, 0.6, Outcome::slower, "", {}, {}});
  const std::vector<Score> scores = scores_of({attempt});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].baseline, "eager");
  EXPECT_EQ(scores[1].baseline, "inductor");
  EXPECT_EQ(scores[1].slower, 1u);
}

TEST(Scores, ALevelOnWhichNothingWasRightIsThereAsAnyOther) {
  Attempt elsewhere = wrong("mine", "b");
  elsewhere.level = "level2";
  const auto scores = scores_of({elsewhere, timed(by("mine", "a"), 2, 1.9, Outcome::faster)});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[2].level, elsewhere.suite + "/level2");
  EXPECT_EQ(scores[2].baseline, "eager");
  EXPECT_EQ(scores[2].problems, 1u);
  EXPECT_EQ(scores[2].correct, 0u);
  EXPECT_EQ(share_over(scores[2], 0), 0);
}

// What never runs here is in no table of speeds.
TEST(Scores, TargetsOnWhichNothingWasTimedAreLeftOut) {
  Attempt elsewhere = example_attempt("level1", "a", "a100");
  EXPECT_EQ(scores_of({elsewhere, timed(by("mine", "a"), 2, 1.9, Outcome::faster)}).size(), 1u);
}

}  // namespace
}  // namespace assay
