#include "serve/submissions.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

class SubmissionsTest : public testing::Test {
 protected:
  // One that is `outcome` by itself, with such a chance.
  int add(size_t problem, double low, Outcome outcome, double chance, bool counts = true) {
    Attempt attempt;
    attempt.timing.emplace();
    Speedup& speedup = attempt.timing->speedups.emplace_back();
    speedup.baseline = "eager";
    speedup.low = low;
    speedup.outcome = outcome;
    if (outcome == Outcome::faster) speedup.chance = chance;
    const int number = submissions_.begin();
    submissions_.add({.number = number,
                      .problem = problem,
                      .language = "c",
                      .code = std::make_shared<const std::string>(std::to_string(number)),
                      .verdict = {.outcome = outcome, .low = low},
                      .counts = counts},
                     attempt);
    return number;
  }
  Outcome outcome_of(int number) const {
    return submissions_.timing(number)->speedups.front().outcome;
  }

  Submissions submissions_;
};

TEST_F(SubmissionsTest, WhoIsFasterIsItAsOneOfAll) {
  const int lucky = add(0, 1.1, Outcome::faster, 0.02);
  const int sure = add(0, 2, Outcome::faster, 1e-6);
  EXPECT_EQ(outcome_of(lucky), Outcome::faster) << "of two";
  for (int i = 0; i < 20; ++i) add(0, 0.9, Outcome::equal, 1);
  EXPECT_EQ(outcome_of(sure), Outcome::faster);
  EXPECT_EQ(outcome_of(lucky), Outcome::undecided);
  EXPECT_EQ(submissions_.timing(lucky)->speedups.front().reason, kOneOfMany);
}

TEST_F(SubmissionsTest, WhatIsNotTimedIsNoComparison) {
  const int number = submissions_.begin();
  submissions_.add({.number = number}, Attempt());
  EXPECT_FALSE(submissions_.timing(number));
  EXPECT_EQ(submissions_.best(0), nullptr);
}

TEST_F(SubmissionsTest, TheBestIsThatOfTheHighestLowerEndAndKeepsItsCode) {
  EXPECT_EQ(submissions_.best(0), nullptr);
  const int first = add(0, 1.5, Outcome::faster, 1e-6);
  add(0, 3, Outcome::faster, 1e-6, false);  // torch computes it
  add(0, 1.5, Outcome::faster, 1e-6);       // as good, and later
  add(1, 9, Outcome::faster, 1e-6);         // of another problem
  EXPECT_EQ(submissions_.best(0)->number, first);
  const int better = add(0, 1.6, Outcome::faster, 1e-6);
  EXPECT_EQ(submissions_.best(0)->number, better);
  EXPECT_EQ(*submissions_.best(0)->code, std::to_string(better));
}

TEST_F(SubmissionsTest, EvenTheFirstThatIsFasterIsMeasuredAgain) {
  EXPECT_EQ(Submissions::comparisons(1, 1), 2u);
  EXPECT_EQ(Submissions::comparisons(7, 2), 14u);
}

}  // namespace
}  // namespace assay
