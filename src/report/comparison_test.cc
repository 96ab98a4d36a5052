#include "report/comparison.h"

#include <gtest/gtest.h>

#include "read_gzip.h"
#include "report/example_run.h"

namespace assay {
namespace {

Comparison compare(const ReportInput& a, const ReportInput& b) {
  const std::vector<std::string> fixed{"eager", "inductor"};
  return compare(a, b, fixed);
}

Attempt with(const std::string& name, std::optional<FailureClass> failure,
             const std::string& message = "limit of 7") {
  Attempt attempt = example_attempt("level1", name, "local");
  if (failure) {
    attempt.stages[1].status = StageStatus::failed;
    attempt.stages[1].failure = failure;
    attempt.stages[1].error = message;
    attempt.artifacts.pop_back();
  }
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

Attempt unjudged(const std::string& name) {
  Attempt attempt = with(name, {});
  attempt.stages[1].status = StageStatus::not_judged;
  attempt.stages[1].error = "no such flag";
  attempt.verdict = Verdict::not_judged;
  return attempt;
}

ReportInput run(std::vector<Attempt> attempts) {
  ReportInput input = example_run();
  input.attempts = std::move(attempts);
  return input;
}

Change change_of(const Comparison& comparison, const std::string& name) {
  for (const ComparedAttempt& pair : comparison.attempts)
    if (pair.either().workload == name) return pair.change;
  ADD_FAILURE() << name;
  return Change::unchanged;
}

// The page has it compressed.
std::string text_in(const Format& format, const Comparison& comparison) {
  const std::string text = rendered(format, comparison);
  return format.name == "html" ? dump_json(data_of(text, "assay-comparison")) : text;
}

class Compared : public testing::Test {
 protected:
  ReportInput a_ =
      run({with("breaks", {}), with("mends", FailureClass::codegen),
           with("same", FailureClass::codegen, "limit of 1"),
           with("other_class", FailureClass::codegen), with("other_cause", FailureClass::codegen),
           with("fine", {}), with("gone", {}), unjudged("unclear")});
  ReportInput b_ = run({with("breaks", FailureClass::crash, "crashed"), with("mends", {}),
                        with("same", FailureClass::codegen, "limit of 2"),
                        with("other_class", FailureClass::crash),
                        with("other_cause", FailureClass::codegen, "no such thing"),
                        with("fine", {}), with("arrived", {}), with("unclear", {})});
};

TEST_F(Compared, EachAttemptHasOneChange) {
  Comparison comparison = compare(a_, b_);
  EXPECT_EQ(change_of(comparison, "breaks"), Change::broken);
  EXPECT_EQ(change_of(comparison, "mends"), Change::fixed);
  EXPECT_EQ(change_of(comparison, "same"), Change::unchanged);
  EXPECT_EQ(change_of(comparison, "other_class"), Change::changed);
  EXPECT_EQ(change_of(comparison, "other_cause"), Change::changed);
  EXPECT_EQ(change_of(comparison, "fine"), Change::unchanged);
  EXPECT_EQ(change_of(comparison, "gone"), Change::only_a);
  EXPECT_EQ(change_of(comparison, "arrived"), Change::only_b);
  EXPECT_EQ(change_of(comparison, "unclear"), Change::unjudged);
  size_t sum = 0;
  for (const auto& word : kChangeWords) sum += comparison.count(word.value);
  EXPECT_EQ(sum, comparison.attempts.size());
  EXPECT_EQ(comparison.in_common(), 7u);
}

TEST_F(Compared, ExitStatus) {
  EXPECT_EQ(exit_status(compare(a_, b_)), 1);
  EXPECT_EQ(exit_status(compare(a_, a_)), 0);
  EXPECT_EQ(exit_status(compare(run({with("x", FailureClass::crash)}), run({with("x", {})}))), 0);
  EXPECT_EQ(exit_status(compare(run({with("x", {})}), run({unjudged("x")}))), 2);
  EXPECT_EQ(exit_status(compare(run({with("x", FailureClass::crash)}), run({unjudged("x")}))), 0);
}

TEST_F(Compared, RatiosAreOfWhatPassedInBoth) {
  ReportInput a = run({with("x", {}), with("y", {}), with("z", {})});
  ReportInput b = a;
  b.attempts[0].artifacts[0].bytes *= 4;
  b.attempts[1].stages[1].wall_ns = *a.attempts[1].stages[1].wall_ns / 2;
  b.attempts[2] = with("z", FailureClass::crash);
  Comparison comparison = compare(a, b);
  auto cost = [](const Comparison& of, std::string_view name) {
    return std::ranges::find(of.costs, name, &ComparedCost::name)->ratios;
  };
  const auto artifact = cost(comparison, "artifact_bytes");
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->count, 2u);
  EXPECT_NEAR(artifact->geometric_mean, 2, 1e-9);
  EXPECT_EQ(artifact->largest.id, "tour/level1/local/x");
  const auto compile = cost(comparison, "compile_ns");
  ASSERT_TRUE(compile);
  EXPECT_NEAR(compile->smallest.ratio, 0.5, 1e-9);
  EXPECT_FALSE(cost(compare(run({}), run({})), "compile_ns"));
}

TEST_F(Compared, FiguresAreToldAttemptByAttempt) {
  ReportInput a = run({with("x", {}), with("y", {}), with("z", {})});
  ReportInput b = a;
  b.attempts[0].artifacts[0].bytes *= 4;
  b.attempts[1].stages[1].wall_ns = *a.attempts[1].stages[1].wall_ns / 2;
  const Comparison comparison = compare(a, b);
  const Json json = comparison_json(comparison);
  ASSERT_EQ(json["figures"].size(), 3u);
  const Json& size = json["figures"][0]["artifact_bytes"];
  EXPECT_EQ(json["figures"][0]["id"], "tour/level1/local/x");
  EXPECT_EQ(size["a"], a.attempts[0].artifacts[0].bytes);
  EXPECT_EQ(size["b"], b.attempts[0].artifacts[0].bytes);
  EXPECT_EQ(size["ratio"], 4);
  EXPECT_EQ(json["figures"][1]["compile_ns"]["ratio"], 0.5);
  EXPECT_EQ(json["figures"][2]["rms_ratio"],
            (Json{{"a", nullptr}, {"b", nullptr}, {"ratio", nullptr}}));
  for (const char* format : {"terminal", "md"}) {
    const std::string text = rendered(format_named(format), comparison);
    const size_t table = text.find("B over A in 1 of the 3 that passed in both");
    ASSERT_NE(table, std::string::npos) << text;
    EXPECT_NE(text.find("4.000", table), std::string::npos) << text;
    EXPECT_FALSE(text.contains("local/z")) << "what is the same is not listed: " << text;
  }
  EXPECT_FALSE(rendered(format_named("md"), compare(a, a)).contains("<details>"));
}

TEST_F(Compared, OfManyAttemptsTheTableHasThoseThatDifferMost) {
  std::vector<Attempt> attempts;
  for (int i = 0; i < 60; ++i) attempts.push_back(with("p" + std::to_string(100 + i), {}));
  const ReportInput a = run(attempts);
  ReportInput b = a;
  for (size_t i = 0; i < b.attempts.size(); ++i) b.attempts[i].artifacts[0].bytes *= i + 1;
  const Comparison comparison = compare(a, b);
  const std::string text = rendered(format_named("terminal"), comparison);
  EXPECT_TRUE(text.contains("in 10 of the 60 that")) << text;
  EXPECT_LT(text.find("local/p159"), text.find("local/p158"));
  EXPECT_FALSE(text.contains("local/p149 "));
  EXPECT_EQ(comparison_json(comparison)["figures"].size(), 60u);
}

TEST_F(Compared, WhatTheyWereMadeWithIsToldApart) {
  b_.run.settings.timeout_ns /= 2;
  b_.run.machine["torch"] = "2.14.0";
  b_.run.machine["new"] = 1;
  b_.run.created = "later";
  auto differences = compare(a_, b_).differences;
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].what, "timeout");
  EXPECT_EQ(differences[0].a, "5m");
  EXPECT_EQ(differences[0].b, "150s");
  EXPECT_EQ(differences[1].what, "torch");
  EXPECT_EQ(differences[1].a, "2.13.0");
  EXPECT_EQ(differences[2].a, "-");
  EXPECT_TRUE(compare(a_, a_).differences.empty());
}

TEST_F(Compared, EveryFormatNamesWhatChangedOnce) {
  Comparison comparison = compare(a_, b_);
  for (const Format& format : comparison_formats()) {
    std::string text = text_in(format, comparison);
    if (format.name == "json") {
      auto json = parse_json(text, "it");
      ASSERT_TRUE(json);
      EXPECT_EQ((*json)["attempts"].size(), 7u);
      EXPECT_EQ((*json)["counts"]["broken"], 1);
      EXPECT_EQ((*json)["counts"]["unchanged"], 2);
    }
    EXPECT_NE(text.find("crashed"), std::string::npos) << format.name;
    size_t first = text.find("level1/local/breaks");
    ASSERT_NE(first, std::string::npos) << format.name;
    EXPECT_EQ(text.find("level1/local/breaks", first + 1), std::string::npos) << format.name;
    if (format.name == "json" || format.name == "html") continue;  // its ratios name attempts, too
    if (format.name == "junit") continue;                          // has a case for each
    EXPECT_EQ(text.find("level1/local/same"), std::string::npos) << format.name;
  }
}

// Two versions of a compiler in one run, and another author's candidates.
TEST(Authors, AreComparedLikeRuns) {
  auto by = [](const char* author, const char* id, std::optional<FailureClass> failure) {
    Attempt attempt = with("x", failure);
    attempt.author = author;
    attempt.id = id;
    return attempt;
  };
  const ReportInput both = run({by("iree", "tour/level1/local/x", {}),
                                by("iree@old", "tour/level1/local/x/iree@old", FailureClass::crash),
                                by("file", "tour/level1/local/x/file__s2", {})});
  ReportInput a = both, b = both, c = both;
  ASSERT_TRUE(keep_author(a, "iree@old"));
  ASSERT_TRUE(keep_author(b, "iree"));
  EXPECT_FALSE(keep_author(c, "xla"));
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.attempts.size(), 1u);
  EXPECT_EQ(comparison.attempts.front().change, Change::fixed);
  EXPECT_EQ(comparison.attempts.front().either().id, "tour/level1/local/x");
  EXPECT_EQ(both.attempts.size(), 3u);
}

ReportInput timed_run(double center, const std::string& torch = "2.13.0") {
  ReportInput input = run({example_launches("product", {center, center + 0.001, center - 0.001,
                                                        center + 0.002, center - 0.002, center}),
                           example_launches("softmax", std::vector<double>(6, 0.7))});
  input.run.settings.timing.emplace().against = {"eager"};
  input.run.machine["torch"] = torch;
  return input;
}

TEST(ComparedSpeeds, AConfirmedSlowdownClosesTheGate) {
  const ReportInput a = timed_run(0.7), b = timed_run(0.6);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.count(SpeedVerdict::slower), 1u);
  EXPECT_EQ(comparison.count(SpeedVerdict::same), 1u);
  EXPECT_EQ(exit_status(comparison), 1);
  EXPECT_EQ(exit_status(compare(b, a)), 0);
  EXPECT_EQ(exit_status(compare(a, a)), 0);
}

TEST(ComparedSpeeds, WhatCannotBeComparedClosesNoGate) {
  const ReportInput a = timed_run(0.7), b = timed_run(0.6, "2.14.0");
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.count(SpeedVerdict::undecided), 2u);
  EXPECT_EQ(exit_status(comparison), 0);
}

TEST(ComparedSpeeds, WhatWasTimedInAAloneIsNotKnownToBeAsFast) {
  const ReportInput a = timed_run(0.7);
  ReportInput b = a;
  b.attempts.front().timing.reset();
  EXPECT_EQ(exit_status(compare(a, b)), 2);
  EXPECT_EQ(exit_status(compare(b, a)), 0);
}

TEST(ComparedSpeeds, EveryFormatNamesWhatIsSlower) {
  const ReportInput a = timed_run(0.7), b = timed_run(0.6);
  const Comparison comparison = compare(a, b);
  for (const Format& format : comparison_formats()) {
    const std::string text = text_in(format, comparison);
    EXPECT_TRUE(text.contains("slower")) << text;
    EXPECT_TRUE(text.contains("0.905") || text.contains("0.9048")) << text;  // exp(-0.1)
  }
  EXPECT_TRUE(rendered(format_named("junit"), comparison).contains("failures=\"1\" errors=\"0\""));
  EXPECT_TRUE(
      rendered(format_named("junit"), compare(a, a)).contains("failures=\"0\" errors=\"0\""));
}

// Of runs that timed nothing nothing is said of speed.
TEST_F(Compared, UntimedRunsHaveNoSpeeds) {
  const Comparison comparison = compare(a_, b_);
  EXPECT_FALSE(comparison.is_timed());
  EXPECT_FALSE(rendered(comparison_formats()[0], comparison).contains("speed"));
  const std::string junit = rendered(format_named("junit"), comparison);
  EXPECT_TRUE(junit.contains("tests=\"9\" failures=\"1\" errors=\"0\" skipped=\"2\"")) << junit;
}

}  // namespace
}  // namespace assay
