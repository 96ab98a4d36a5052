#include "report/requirement.h"

#include <gtest/gtest.h>

#include "report/example_run.h"

namespace assay {
namespace {

Attempt attempt(double low, Outcome outcome, const std::string& reason = "",
                bool provisional = false) {
  Attempt made = example_timed(example_verified("product", "local"),
                               {"eager", low * 1.1, low, low * 1.2, outcome, reason, {}, {}});
  made.timing->provisional = provisional;
  if (outcome == Outcome::faster) made.timing->speedups[0].chance = 1.0 / 64;
  made.verdict = verdict_of(made.stages);
  return made;
}

bool is_met(const std::string& text, const Attempt& attempt) {
  auto requirement = parse_requirement(text);
  EXPECT_TRUE(requirement) << text;
  const Standing standing = standing_of({attempt});
  const bool met = shortfall(*requirement, attempt, standing).empty();
  EXPECT_EQ(exit_status({attempt}, *requirement, standing), met ? 0 : 1);
  EXPECT_EQ(shortfalls_in_words(*requirement, {attempt}, standing).empty(), met);
  return met;
}

TEST(Requirement, FasterIsTheOutcome) {
  EXPECT_TRUE(is_met("faster", attempt(1.02, Outcome::faster)));
  EXPECT_FALSE(is_met("faster", attempt(0.995, Outcome::equal)));
  EXPECT_FALSE(is_met("faster", attempt(0.5, Outcome::slower)));
}

TEST(Requirement, ARatioIsTheIntervalsLowerEnd) {
  EXPECT_TRUE(is_met("1.05x", attempt(1.05, Outcome::faster)));
  EXPECT_FALSE(is_met("1.05x", attempt(1.0499, Outcome::faster)));
  EXPECT_TRUE(is_met("0.95x", attempt(0.96, Outcome::slower)));
  EXPECT_FALSE(is_met("2x", attempt(1.9, Outcome::faster)));
  EXPECT_FALSE(is_met("1.005x", attempt(1.006, Outcome::equal))) << "that is no difference";
}

TEST(Requirement, WhatIsNotEstablishedFallsShort) {
  for (const char* text : {"faster", "0.5x"}) {
    EXPECT_FALSE(is_met(text, attempt(3, Outcome::undecided, "noisy")));
    EXPECT_FALSE(is_met(text, attempt(3, Outcome::faster, "", true)));
    Attempt untimed = example_verified("product", "local");
    untimed.verdict = verdict_of(untimed.stages);
    EXPECT_FALSE(is_met(text, untimed));
    EXPECT_FALSE(is_met(text, example_attempt("level1", "product", "a72")));
  }
}

// One in 64 is little for one that was tried, and not for one of four.
TEST(Requirement, WhoWinsHasToStandAmongAllThatWereTried) {
  std::vector<Attempt> all(4, attempt(1.2, Outcome::slower));
  for (size_t n = 0; n < all.size(); ++n) all[n].id += std::to_string(n);
  const Attempt winner = all[0] = attempt(1.2, Outcome::faster);
  const Standing standing = standing_of(all);
  for (const char* text : {"faster", "1x", "1.05x"}) {
    const std::string why = shortfall(*parse_requirement(text), winner, standing);
    EXPECT_NE(why.find("--force measures it again"), std::string::npos) << text << ": " << why;
    EXPECT_EQ(shortfall(*parse_requirement(text), winner, standing_of({winner})), "");
  }
  EXPECT_EQ(shortfall(*parse_requirement("0.95x"), winner, standing), "");
}

TEST(Requirement, SaysWhichAndWhy) {
  EXPECT_EQ(
      shortfalls_in_words(*parse_requirement("1.05x"), {attempt(1, Outcome::equal)}, {}),
      "falls short of --require 1.05x: tour/level1/local/product: equal, 1.10x eager (1.00 to "
      "1.20)\n");
}

TEST(Requirement, WhatCouldNotBeJudgedStaysTheWorst) {
  Attempt unjudged = example_attempt("level1", "x", "local");
  unjudged.stages.back() = {};
  unjudged.stages.back().status = StageStatus::not_judged;
  unjudged.verdict = verdict_of(unjudged.stages);
  const Requirement faster = *parse_requirement("faster");
  EXPECT_EQ(exit_status({unjudged, attempt(1, Outcome::equal)}, faster, {}), 2);
  // Its own error says enough.
  EXPECT_EQ(shortfalls_in_words(faster, {unjudged}, {}), "");
}

TEST(Requirement, AnythingElseIsRefused) {
  for (const char* text : {"", "fast", "Faster", "1.05", "x", "-1x", "0x", "1.05xx", "1,05x",
                           "nanx", "infx", "1e400x", " 1x", "105%"})
    EXPECT_FALSE(parse_requirement(text)) << text;
}

}  // namespace
}  // namespace assay
