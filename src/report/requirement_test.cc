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
  made.verdict = verdict_of(made.stages);
  return made;
}

bool is_met(const std::string& text, const Attempt& attempt) {
  auto requirement = parse_requirement(text);
  EXPECT_TRUE(requirement) << text;
  const bool met = shortfall(*requirement, attempt).empty();
  EXPECT_EQ(exit_status({attempt}, *requirement), met ? 0 : 1);
  EXPECT_EQ(shortfalls_in_words(*requirement, {attempt}).empty(), met);
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

TEST(Requirement, SaysWhichAndWhy) {
  EXPECT_EQ(
      shortfalls_in_words(*parse_requirement("1.05x"), {attempt(1, Outcome::equal)}),
      "falls short of --require 1.05x: tour/level1/local/product: equal, 1.10x eager (1.00 to "
      "1.20)\n");
}

TEST(Requirement, WhatCouldNotBeJudgedStaysTheWorst) {
  Attempt unjudged = example_attempt("level1", "x", "local");
  unjudged.stages.back() = {};
  unjudged.stages.back().status = StageStatus::not_judged;
  unjudged.verdict = verdict_of(unjudged.stages);
  const Requirement faster = *parse_requirement("faster");
  EXPECT_EQ(exit_status({unjudged, attempt(1, Outcome::equal)}, faster), 2);
  // Its own error says enough.
  EXPECT_EQ(shortfalls_in_words(faster, {unjudged}), "");
}

TEST(Requirement, AnythingElseIsRefused) {
  for (const char* text : {"", "fast", "Faster", "1.05", "x", "-1x", "0x", "1.05xx", "1,05x",
                           "nanx", "infx", "1e400x", " 1x", "105%"})
    EXPECT_FALSE(parse_requirement(text)) << text;
}

}  // namespace
}  // namespace assay
