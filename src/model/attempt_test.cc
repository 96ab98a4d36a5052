#include "model/attempt.h"

#include <gtest/gtest.h>

#include "model/run_record.h"

namespace assay {
namespace {

Attempt failed_attempt() {
  Attempt attempt;
  attempt.workload = "softmax";
  attempt.path = "/suites/tour/level1/softmax.py";
  attempt.suite = "tour";
  attempt.level = "level1";
  attempt.author = "iree";
  attempt.target = "local";
  attempt.reproduce = "assay run softmax.py";
  attempt.fingerprint = "f";
  attempt.finished = "2026-01-02T03:04:05Z";
  StageRecord exported;
  exported.wall_ns = 5;
  exported.evidence = Json{{"inputs", Json::array()}};
  StageRecord compiled;
  compiled.stage = Stage::compile;
  compiled.status = StageStatus::failed;
  compiled.failure = FailureClass::codegen;
  compiled.error = "no lowering";
  compiled.detail = "line\nline";
  attempt.stages = {exported, compiled};
  attempt.artifacts = {{"kernel.mlir", std::string(64, 'a'), 12}};
  attempt.origin = {"file:/mine/softmax.c", "local", "/iree", std::string(64, 'b'), "c"};
  attempt.replay =
      Replay{"/runs/tour", "tour/level1/local/softmax", {"torch: 2.12 then, 2.13 now"}};
  attempt.verdict = Verdict::failed;
  attempt.id = attempt_id(attempt, false);
  return attempt;
}

TEST(Attempt, JsonRoundTrips) {
  Attempt attempt = failed_attempt();
  Json json = to_json(attempt);
  EXPECT_EQ(json["id"], "tour/level1/local/softmax");
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["stage"], "compile");
  EXPECT_EQ(json["class"], "codegen");
  EXPECT_TRUE(json["stages"][1]["wall_ns"].is_null()) << "absent is null, never 0";
  auto again = attempt_from_json(json);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(*again, attempt);
}

// What an interpreter says of device code can only take away.
TEST(Attempt, SmokeThatSaysNothingLeavesWhatCompiles) {
  Attempt attempt = failed_attempt();
  StageRecord compiled, smoke;
  compiled.stage = Stage::compile;
  smoke.stage = Stage::smoke;
  attempt.stages = {compiled, smoke};
  EXPECT_EQ(verdict_of(attempt.stages), Verdict::compiled);
  EXPECT_EQ(reached(attempt), "smoke");
  attempt.stages[1].status = StageStatus::not_judged;
  attempt.stages[1].error = "it is bf16";
  EXPECT_EQ(verdict_of(attempt.stages), Verdict::compiled);
  EXPECT_EQ(reached(attempt), "compiled");
  EXPECT_EQ(attempt.deciding_stage(), nullptr);
  attempt.verdict = Verdict::compiled;
  EXPECT_TRUE(check(attempt)) << check(attempt).error().describe();
  attempt.stages[1].status = StageStatus::rejected;
  attempt.stages[1].rule = "wrong";
  EXPECT_EQ(verdict_of(attempt.stages), Verdict::rejected);
  EXPECT_EQ(attempt.deciding_stage(), &attempt.stages[1]);
  attempt.stages[0].status = StageStatus::not_judged;
  EXPECT_EQ(verdict_of(attempt.stages), Verdict::not_judged) << "only smoke may say nothing";
}

Attempt timed_attempt() {
  Attempt attempt = failed_attempt();
  StageRecord verified, measured, judged;
  verified.stage = Stage::verify;
  measured.stage = Stage::measure;
  judged.stage = Stage::judge;
  attempt.stages = {verified, measured, judged};
  attempt.verdict = Verdict::accepted;
  Timing& timing = attempt.timing.emplace();
  timing.speedups = {{"eager", 1.5, 1.4, 1.6, Outcome::faster, "", {}, {}},
                     {"inductor", 1.0, 0.9, 1.1, Outcome::undecided, "noisy", {}, {}}};
  return attempt;
}

TEST(Attempt, TheFirstBaselineSaysTheOutcome) {
  Attempt attempt = timed_attempt();
  ASSERT_TRUE(check(attempt)) << check(attempt).error().describe();
  EXPECT_EQ(outcome(attempt), Outcome::faster);
  EXPECT_EQ(reason(attempt), "");
  EXPECT_EQ(reached(attempt), "timed");
  Attempt refuted = attempt;
  refuted.stages[1].status = StageStatus::rejected;
  refuted.stages.pop_back();
  EXPECT_EQ(reached(refuted), "") << "it was right until it was timed";
  refuted.stages[1].status = StageStatus::not_judged;
  EXPECT_EQ(reached(refuted), "correct");
  std::swap(attempt.timing->speedups[0], attempt.timing->speedups[1]);
  EXPECT_EQ(outcome(attempt), Outcome::undecided);
  EXPECT_EQ(reason(attempt), "noisy");
  auto again = attempt_from_json(to_json(attempt));
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(*again, attempt);
}

TEST(Attempt, HasNoSpeedThatNobodyFoundToBeRight) {
  for (size_t missing = 0; missing < 3; ++missing) {
    Attempt attempt = timed_attempt();
    attempt.stages.erase(attempt.stages.begin() + static_cast<std::ptrdiff_t>(missing));
    attempt.verdict = verdict_of(attempt.stages);
    EXPECT_FALSE(check(attempt)) << missing;
  }
  Attempt without = timed_attempt();
  without.timing.reset();
  EXPECT_FALSE(check(without)) << "it was judged, and nobody knows how";
  Attempt wrong = timed_attempt();
  wrong.stages[1].status = StageStatus::rejected;
  wrong.stages[1].rule = "wrong";
  wrong.stages[1].error = "it is wrong";
  wrong.verdict = Verdict::rejected;
  EXPECT_FALSE(check(wrong));
}

TEST(Attempt, WhatCouldNotBeTimedIsRightAllTheSame) {
  Attempt attempt = timed_attempt();
  attempt.timing.reset();
  attempt.stages.pop_back();
  attempt.stages[1].status = StageStatus::not_judged;
  attempt.stages[1].error = "there is nothing to time it against";
  attempt.verdict = verdict_of(attempt.stages);
  EXPECT_EQ(attempt.verdict, Verdict::accepted);
  EXPECT_TRUE(check(attempt)) << check(attempt).error().describe();
  EXPECT_EQ(outcome(attempt), Outcome::undecided);
  EXPECT_EQ(reason(attempt), "there is nothing to time it against");
  EXPECT_EQ(attempt.deciding_stage(), nullptr);
}

TEST(Attempt, ContradictionsAreRefused) {
  auto refused = [](auto change) {
    Json json = to_json(failed_attempt());
    change(json);
    return !attempt_from_json(json);
  };
  EXPECT_TRUE(refused([](Json& json) { json["verdict"] = "compiled"; }));
  EXPECT_TRUE(refused([](Json& json) { json["id"] = "tour/level1/local/other"; }));
  EXPECT_TRUE(refused([](Json& json) { json["stages"][1]["class"] = nullptr; }));
  EXPECT_TRUE(refused([](Json& json) { json["stages"][0]["error"] = "x"; }));
  EXPECT_TRUE(refused([](Json& json) { json["stages"][0]["peak_bytes"] = -1; }));
  EXPECT_TRUE(refused([](Json& json) { json["stages"] = 3; }));
  EXPECT_TRUE(refused([](Json& json) { json["artifacts"][0]["name"] = "../x"; }));
  EXPECT_TRUE(refused([](Json& json) { json["artifacts"][0]["sha256"] = "../../x"; }));
  EXPECT_TRUE(refused([](Json& json) { json["candidate"] = 0; }));
  EXPECT_TRUE(refused([](Json& json) { json.erase("target"); }));
  EXPECT_TRUE(refused([](Json& json) { json.erase("origin"); }));
  EXPECT_TRUE(refused([](Json& json) { json["replay"] = "yes"; }));
  EXPECT_FALSE(refused([](Json&) {}));
}

TEST(Attempt, TheFirstStageThatIsNotOkDecides) {
  StageRecord ok, failed, declined;
  failed.status = StageStatus::failed;
  declined.status = StageStatus::unsupported;
  EXPECT_EQ(verdict_of({}), Verdict::not_judged);
  StageRecord compiled;
  compiled.stage = Stage::compile;
  EXPECT_EQ(verdict_of({ok}), Verdict::exported);
  EXPECT_EQ(verdict_of({ok, compiled}), Verdict::compiled);
  EXPECT_EQ(verdict_of({ok, failed, declined}), Verdict::failed);
  EXPECT_EQ(verdict_of({declined}), Verdict::unsupported);
}

TEST(Attempt, IdsArePaths) {
  Attempt attempt = failed_attempt();
  attempt.level = "";
  EXPECT_EQ(attempt_id(attempt, false), "tour/_/local/softmax");
  attempt.author = "my kernels";
  attempt.candidate = 2;
  EXPECT_EQ(attempt_id(attempt, true), "tour/_/local/softmax/my%20kernels__s2");
}

// A table that lacks an enumerator would write "?".
template <class Enum, size_t N>
void expect_complete(const Word<Enum> (&table)[N]) {
  for (size_t i = 0; i < N; ++i) {
    EXPECT_EQ(static_cast<size_t>(table[i].value), i);
    EXPECT_EQ(from_word(table, table[i].word), table[i].value);
  }
  EXPECT_EQ(to_word(table, static_cast<Enum>(N)), "?") << "an enumerator without a word";
}

TEST(Words, EveryTableIsComplete) {
  expect_complete(kVerdictWords);
  expect_complete(kStageWords);
  expect_complete(kStageStatusWords);
  expect_complete(kFailureClassWords);
  expect_complete(kPrecisionWords);
}

TEST(RunRecord, RoundTripsAndComparesSettingsByName) {
  RunRecord run;
  run.settings.timeout_ns = 5'000'000'000;
  run.settings.memory_bytes = 1 << 30;
  run.assay_version = "1";
  run.created = "now";
  run.machine = Json{{"host", "h"}};
  auto again = run_from_json(to_json(run));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, run);
  RunSettings other = run.settings;
  EXPECT_TRUE(same_settings(run.settings, other));
  other.timeout_ns = 6'000'000'000;
  auto differs = same_settings(run.settings, other);
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().message,
            "this run was made with --timeout 5s, and --timeout 6s is asked for now");
  other = run.settings;
  other.load_weights = "/w";
  other.weights_sha256 = std::string(64, 'a');
  EXPECT_EQ(same_settings(run.settings, other).error().message,
            "this run was made with --load-weights of no folder, and --load-weights /w (SHA-256 "
            "aaaaaaaaaaaa) is asked for now");
  RunSettings moved = other;
  moved.load_weights = "/elsewhere";
  EXPECT_TRUE(same_settings(other, moved)) << "what they hold counts";
}

}  // namespace
}  // namespace assay
