#include "report/suite_score.h"

#include <gtest/gtest.h>

#include "report/example_run.h"
#include "report/format.h"
#include "report/suite_submission.h"

namespace assay {
namespace {

// One answer: what its record says of call, exec and assay, each T, F or ?.
Attempt answered(const std::string& name, int candidate, const std::string& told,
                 const std::string& difficulty = "1") {
  Attempt attempt = example_attempt("g", name, "local");
  attempt.author = "answers";
  attempt.candidate = candidate;
  attempt.path = "triton:/suite/g/" + name + ".py";
  const auto as_json = [](char letter) {
    return letter == '?' ? Json(nullptr) : Json(letter == 'T');
  };
  StageRecord stage;
  stage.stage = Stage::smoke;
  stage.evidence = {{"suite",
                     {{"format", "g"},
                      {"difficulty", difficulty},
                      {"category", "memory"},
                      {"parses", true},
                      {"call", as_json(told[0])},
                      {"exec", as_json(told[1])},
                      {"assay", as_json(told[2])},
                      {"why", told == "TTT" ? Json(nullptr) : Json("it is\nwrong")}}}};
  if (told.contains('F')) {
    stage.status = StageStatus::rejected;
    stage.rule = "wrong";
    stage.error = "it is wrong";
  }
  attempt.stages = {stage};
  attempt.artifacts.clear();
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, true);
  return attempt;
}

std::vector<Attempt> run_of_three() {
  return {answered("a", 1, "TTT"), answered("a", 2, "FFF"), answered("b", 1, "TTF", "2"),
          answered("b", 2, "TTT", "2"), answered("c", 1, "T??", "2")};
}

TEST(SuiteScore, AccuraciesLeaveOutWhatCannotBeTold) {
  const auto attempts = run_of_three();
  const auto scores = suite_scores(attempts);
  ASSERT_EQ(scores.size(), 4u) << "all, two difficulties and a category";
  const SuiteScore& all = scores[0];
  EXPECT_EQ(all.group, "");
  EXPECT_EQ(all.kernels, 3u);
  EXPECT_EQ(all.answers, 5u);
  EXPECT_EQ(all.call.count, 4u);
  EXPECT_EQ(all.call.of, 5u);
  EXPECT_EQ(all.exec.count, 3u);
  EXPECT_EQ(all.exec.of, 4u);
  EXPECT_EQ(all.assay.count, 2u);
  EXPECT_EQ(all.unverifiable, 1u);
  EXPECT_EQ(scores[1].group, "difficulty 1");
  EXPECT_EQ(scores[2].group, "difficulty 2");
  EXPECT_EQ(scores[2].answers, 3u);
  EXPECT_EQ(scores[3].group, "category memory");
}

// geak-eval's own sums go on from one k to the next.
TEST(SuiteScore, PassAtKIsOfEachKByItself) {
  const auto scores = suite_scores(run_of_three());
  ASSERT_EQ(scores[0].at_k.size(), 2u);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].exec, (0.5 + 1) / 2);
  EXPECT_DOUBLE_EQ(scores[0].at_k[1].exec, 1);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].assay, 0.5);
  EXPECT_DOUBLE_EQ(scores[0].at_k[1].assay, 1);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].call, (0.5 + 1 + 1) / 3);
  const std::vector<size_t> ks{2, 3};
  const auto asked = suite_scores(run_of_three(), ks);
  ASSERT_EQ(asked[0].at_k.size(), 1u) << "nobody has three";
  EXPECT_EQ(asked[0].at_k[0].k, 2u);
}

TEST(SuiteScore, WhatPassesAssaysOwnTestsIsRight) {
  const auto attempts = run_of_three();
  EXPECT_TRUE(passes_suite(attempts[0]));
  for (size_t n : {1, 2, 4}) EXPECT_FALSE(passes_suite(attempts[n])) << n;
}

std::map<std::string, std::string> files_of(const char* format, std::vector<Attempt> attempts) {
  ReportInput input = example_run();
  input.attempts = std::move(attempts);
  const auto row = std::ranges::find(formats(), format, &Format::name);
  std::map<std::string, std::string> files;
  for (const ReportFile& file : rendered(*row, input)) files[file.name] = file.text;
  return files;
}

TEST(SuiteScore, TheFolderOfGeakHasAPassForEachNumber) {
  const auto files = files_of("geak", run_of_three());
  auto first = parse_json(files.at("out.json_results_0.json"), "pass 0");
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 3u);
  EXPECT_EQ((*first)[0]["file_name"], "a.py");
  EXPECT_EQ((*first)[0]["call_status"], 1);
  EXPECT_EQ((*first)[1]["exec_status"], 1);
  EXPECT_EQ((*first)[1]["assay_status"], 0);
  EXPECT_EQ((*first)[2]["unverifiable"], true);
  EXPECT_EQ((*first)[2]["difficulty"], 2);
  EXPECT_EQ(parse_json(files.at("out.json_all_passes.json"), "all")->size(), 5u);
  EXPECT_TRUE(files.at("out.jsonpassk.txt").contains("Exec Accuracy for k=1: 75\n"));
  EXPECT_TRUE(files.contains("exec/a.py"));
  EXPECT_FALSE(files.contains("exec/c.py"));
  EXPECT_TRUE(files.at("out.json").contains("stderr: it is\\nwrong\n")) << files.at("out.json");
}

TEST(SuiteScore, OtherViewsSayNoTimes) {
  const auto arena = files_of("arena", {answered("a", 1, "TTT"), answered("b", 1, "TFF")});
  EXPECT_TRUE(arena.at("tour/g/local/a/answers/task_result.yaml").contains("score: 120\n"));
  EXPECT_TRUE(arena.at("tour/g/local/b/answers/task_result.yaml").contains("score: 20\n"));
  const auto kbx = files_of("kernelbench-x", run_of_three());
  auto summary = parse_json(kbx.at("summary.json"), "summary");
  ASSERT_TRUE(summary);
  EXPECT_EQ((*summary)["total"], 5);
  EXPECT_EQ((*summary)["call_pass"], 4);
  EXPECT_TRUE((*summary)["avg_speedup"].is_null());
}

// As geak-eval posts it; nothing but numbers and names, whatever the answers were.
TEST(SuiteScore, WhatIsSubmittedHasTheTeamAndNoCode) {
  const Json body = suite_submission("kernels", "1.2.3", run_of_three());
  EXPECT_EQ(body["data"], Json::array({"kernels", nullptr}));
  ASSERT_EQ(body["scores"].size(), 4u);
  EXPECT_EQ(body["scores"][0]["author"], "answers");
  EXPECT_EQ(body["scores"][0]["exec"], (Json{{"right", 3}, {"of", 4}}));
  EXPECT_EQ(body["scores"][0]["pass_at_k"][1]["assay"], 1);
  EXPECT_EQ(body["scores"][1]["group"], "difficulty 1");
  EXPECT_FALSE(dump_json(body).contains("it is")) << "why answers are wrong stays here";
  EXPECT_TRUE(suite_submission("kernels", "1.2.3", {})["scores"].empty());
}

}  // namespace
}  // namespace assay
