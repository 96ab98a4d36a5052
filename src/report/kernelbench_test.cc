#include <gtest/gtest.h>

#include "report/example_run.h"
#include "report/format.h"
#include "report/other_verdict.h"

namespace assay {
namespace {

Attempt candidate(const std::string& problem, int number, StageStatus status) {
  Attempt attempt = example_verified(problem, "local");
  attempt.author = "mine";
  attempt.candidate = number;
  StageRecord& stage = attempt.stages.back();
  stage.status = status;
  if (status == StageStatus::rejected) stage.rule = "precision";
  if (status == StageStatus::failed) stage.failure = FailureClass::load;
  if (status != StageStatus::ok) stage.error = "why";
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, attempt.author != "iree");
  return attempt;
}

void check_says(Attempt& attempt, const Json& correct) {
  attempt.stages.back().evidence = {{"check",
                                     {{"name", "kernelbench"},
                                      {"correct", correct},
                                      {"trials", 5},
                                      {"passed", 4},
                                      {"why", "w"}}}};
}

Json file(const std::vector<Attempt>& attempts) {
  ReportInput input = example_run();
  input.attempts = attempts;
  auto files = rendered(format_named("kernelbench"), input);
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "eval_results.json");
  return *parse_json(files[0].text, "eval_results.json");
}

TEST(Kernelbench, SamplesOfAProblemAreUnderItsNumber) {
  Json json = file(
      {candidate("19_ReLU", 1, StageStatus::ok), candidate("19_ReLU", 2, StageStatus::rejected),
       candidate("7_softmax", 1, StageStatus::failed), candidate("gelu", 1, StageStatus::ok),
       candidate("7_softmax", 2, StageStatus::not_judged),
       candidate("7_softmax", 3, StageStatus::unsupported)});
  ASSERT_EQ(json.size(), 3u) << json;
  ASSERT_EQ(json["19"].size(), 2u);
  EXPECT_EQ(json["19"][0]["sample_id"], 0);
  EXPECT_EQ(json["19"][0]["correctness"], true);
  EXPECT_EQ(json["19"][0]["runtime"], -1.0);
  EXPECT_EQ(json["19"][1]["sample_id"], 1);
  EXPECT_EQ(json["19"][1]["compiled"], true);
  EXPECT_EQ(json["19"][1]["correctness"], false);
  EXPECT_EQ(json["7"].size(), 1u);
  EXPECT_EQ(json["7"][0]["compiled"], false);
  EXPECT_EQ(json["gelu"].size(), 1u);
}

TEST(Kernelbench, WhatDidNotComeThroughItsBuildIsNotCompiled) {
  std::vector<Attempt> attempts;
  for (FailureClass failure : {FailureClass::build, FailureClass::timeout,
                               FailureClass::out_of_memory, FailureClass::crash}) {
    Attempt attempt = candidate("1_a", static_cast<int>(attempts.size()) + 1, StageStatus::failed);
    attempt.stages.back().stage = Stage::compile;
    attempt.stages.back().failure = failure;
    attempts.push_back(std::move(attempt));
  }
  attempts.push_back(candidate("1_a", 5, StageStatus::failed));
  attempts.back().stages.back().failure = FailureClass::timeout;  // of a call
  Json json = file(attempts);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(json["1"][i]["compiled"], false) << i;
  EXPECT_EQ(json["1"][4]["compiled"], true);
  EXPECT_EQ(json["1"][4]["correctness"], false);
}

TEST(Kernelbench, EachOfSeveralSuitesHasAFileOfItsOwn) {
  std::vector<Attempt> attempts;
  for (const char* suite : {"A", "B"}) {
    Attempt attempt = candidate("19_x", 1, StageStatus::ok);
    attempt.suite = suite;
    attempt.level = "level1";
    attempts.push_back(std::move(attempt));
  }
  ReportInput input = example_run();
  input.attempts = attempts;
  auto files = rendered(format_named("kernelbench"), input);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "eval_results_mine_A_level1_local.json");
  EXPECT_EQ(files[1].name, "eval_results_mine_B_level1_local.json");
  for (const auto& each : files)
    EXPECT_EQ((*parse_json(each.text, each.name))["19"].size(), 1u) << each.name;
}

TEST(Kernelbench, TheirOwnCheckComesBeforeOurVerdict) {
  Attempt wrong = candidate("1_a", 1, StageStatus::ok);
  Attempt correct = candidate("2_b", 1, StageStatus::rejected);
  Attempt unknown = candidate("3_c", 1, StageStatus::ok);
  check_says(wrong, false);
  check_says(correct, true);
  check_says(unknown, nullptr);
  Json json = file({wrong, correct, unknown});
  EXPECT_EQ(json["1"][0]["correctness"], false);
  EXPECT_EQ(json["1"][0]["metadata"]["assay_verdict"], "accepted");
  EXPECT_EQ(json["1"][0]["metadata"]["correctness_trials"], "(4 / 5)");
  EXPECT_EQ(json["2"][0]["correctness"], true);
  EXPECT_EQ(json["2"][0]["metadata"]["assay_error"], "why");
  EXPECT_EQ(json["3"][0]["correctness"], true);
}

TEST(Kernelbench, WhatWasTimedHasTheTimeOfACallInMilliseconds) {
  Attempt timed = example_timed(candidate("1_a", 1, StageStatus::ok),
                                {"eager", 2, 1.9, 2.1, Outcome::faster, "", {}, {}});
  timed.verdict = verdict_of(timed.stages);
  Json json = file({timed, candidate("1_a", 2, StageStatus::ok)});
  EXPECT_EQ(json["1"][0]["runtime"], 2.1);
  EXPECT_EQ(json["1"][0]["runtime_stats"], (Json{{"median", 2.1}, {"p5", 2.0}, {"p95", 3.0}}));
  EXPECT_EQ(json["1"][1]["runtime"], -1.0);
  EXPECT_EQ(json["1"][1]["runtime_stats"], Json::object());
}

TEST(Kernelbench, WhereTheTwoDifferIsCounted) {
  Attempt wrong = candidate("1_a", 1, StageStatus::ok);
  Attempt correct = candidate("2_b", 1, StageStatus::rejected);
  Attempt both = candidate("3_c", 1, StageStatus::ok);
  check_says(wrong, false);
  check_says(correct, true);
  check_says(both, true);
  std::vector<Attempt> all{wrong, correct, both, candidate("4_d", 1, StageStatus::ok)};
  EXPECT_EQ(
      others_in_words(all),
      "kernelbench: 2 correct, 1 wrong; correct and not accepted here 1, wrong and accepted 1");
  EXPECT_EQ(correct_cell(wrong), "wrong");
  EXPECT_EQ(correct_cell(all[3]), "-");
  EXPECT_EQ(others_in_words(std::span(all).last(1)), "");
  Attempt unknown = candidate("5_e", 1, StageStatus::ok);
  check_says(unknown, nullptr);
  // It ended with the build, so that is where it stands.
  Attempt unbuilt = candidate("6_f", 1, StageStatus::failed);
  unbuilt.stages.back().stage = Stage::compile;
  unbuilt.stages.back().failure = FailureClass::build;
  check_says(unbuilt, false);
  all = {both, unknown, unbuilt};
  EXPECT_EQ(others_in_words(all),
            "kernelbench: 1 correct, 1 wrong, 1 not known; correct and not accepted here 0, wrong "
            "and accepted 0");
  EXPECT_EQ(correct_cell(unknown), "-");
  Json json = file(all);
  EXPECT_EQ(json["6"][0]["compiled"], false);
  EXPECT_EQ(json["6"][0]["correctness"], false);
}

}  // namespace
}  // namespace assay
