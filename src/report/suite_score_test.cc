#include "report/suite_score.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "report/example_run.h"
#include "report/format.h"
#include "report/html.h"
#include "report/run_reader.h"
#include "report/scores.h"
#include "report/suite_submission.h"

namespace assay {
namespace {

const std::string kLine = std::string(146, '#') + "\n";

// One answer: what its record says of call, exec and assay, each T, F or ?.
Attempt answered(const std::string& name, int candidate, const std::string& told,
                 const std::string& difficulty = "1") {
  Attempt attempt = example_attempt("g", name, "local");
  attempt.author = "answers";
  attempt.candidate = candidate;
  attempt.path = "triton:/suite/g/" + name + ".py";
  attempt.origin.author = "file:/mine/" + name + ".py";
  attempt.origin.candidate_sha256 = sha256("code\n");
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

// One whose code is no Python.
Attempt unparsed(Attempt attempt) {
  attempt.stages.front().evidence["suite"]["parses"] = false;
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
  EXPECT_EQ(all.call.count, 3u);
  EXPECT_EQ(all.call.of, 4u) << "c runs to its end, and counts in nothing";
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
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].call, (0.5 + 1) / 2);
  const std::vector<size_t> ks{2, 3};
  const auto asked = suite_scores(run_of_three(), ks);
  ASSERT_EQ(asked[0].at_k.size(), 1u) << "nobody has three";
  EXPECT_EQ(asked[0].at_k[0].k, 2u);
}

// As geak-eval has it: n is the number of passes.
TEST(SuiteScore, APassWithoutAnAnswerIsWrong) {
  const auto scores =
      suite_scores({answered("a", 1, "TTT"), answered("a", 2, "TTT"), answered("b", 2, "TTT", "2"),
                    answered("c", 1, "T??"), answered("c", 2, "TTT")});
  EXPECT_EQ(scores[0].passes, 2u);
  ASSERT_EQ(scores[0].at_k.size(), 2u);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].exec, (1 + 0.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(scores[0].at_k[1].exec, 1);
  EXPECT_EQ(scores[2].group, "difficulty 2");
  EXPECT_EQ(scores[2].passes, 2u) << "although it has one answer";
  EXPECT_DOUBLE_EQ(scores[2].at_k[0].call, 0.5);
}

// Of so many files of results the one with this number.
Attempt of_pass(Attempt attempt, int pass, int passes, bool is_repeat = false) {
  Json& suite = attempt.stages.back().evidence["suite"];
  suite["pass"] = pass;
  suite["passes"] = passes;
  if (is_repeat) suite["repeats"] = true;
  return attempt;
}

// One answer that its file has twice halved what all other kernels came to.
TEST(SuiteScore, WhatAFileAnswersAgainIsARowAndNoPass) {
  const std::vector<Attempt> once{of_pass(answered("a", 1, "TTT"), 1, 1),
                                  of_pass(answered("a", 2, "FFF"), 1, 1, true),
                                  of_pass(answered("b", 1, "TTT"), 1, 1)};
  const auto scores = suite_scores(once);
  EXPECT_EQ(scores[0].passes, 1u);
  EXPECT_TRUE(scores[0].at_k.empty());
  EXPECT_EQ(scores[0].answers, 3u);
  EXPECT_EQ(scores[0].exec.count, 2u);

  const std::vector<Attempt> twice{
      of_pass(answered("a", 1, "TTT"), 1, 2), of_pass(answered("a", 2, "TTT"), 2, 2),
      of_pass(answered("b", 1, "FFF"), 1, 2), of_pass(answered("b", 2, "FFF"), 2, 2),
      of_pass(answered("b", 3, "TTT"), 1, 2, true)};
  const auto of_two = suite_scores(twice);
  EXPECT_EQ(of_two[0].passes, 2u);
  ASSERT_EQ(of_two[0].at_k.size(), 2u);
  EXPECT_DOUBLE_EQ(of_two[0].at_k[0].exec, 0.5);
  EXPECT_DOUBLE_EQ(of_two[0].at_k[1].exec, 0.5) << "the first answer counts";
}

// Which a filter, or a file without answers to these kernels, leaves.
TEST(SuiteScore, APassWithoutAnyAnswerIsOneToo) {
  const auto scores = suite_scores({of_pass(answered("a", 2, "TTT"), 2, 2)});
  EXPECT_EQ(scores[0].passes, 2u);
  ASSERT_EQ(scores[0].at_k.size(), 2u);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].exec, 0.5);
}

// What only a secret seed could have told is no less of what the suite asks.
TEST(SuiteScore, WhatNoSecretSeedToldIsLeftOutOfAssaysAccuracyAlone) {
  const auto scores = suite_scores({answered("a", 1, "TT?"), answered("a", 2, "TTT"),
                                    answered("b", 1, "TTT"), answered("b", 2, "TTF")});
  EXPECT_EQ(scores[0].exec.of, 4u);
  EXPECT_EQ(scores[0].exec.count, 4u);
  EXPECT_EQ(scores[0].assay.of, 3u);
  EXPECT_EQ(scores[0].assay.count, 2u);
  EXPECT_EQ(scores[0].unverifiable, 0u);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].exec, 1);
  EXPECT_DOUBLE_EQ(scores[0].at_k[0].assay, (1 + 0.5) / 2);
}

// What stopped before smoke: by a compile for a GPU, or because nobody asked for more.
Attempt compiled_only(const std::string& name, int candidate, StageStatus status) {
  Attempt attempt = answered(name, candidate, "TTT");
  StageRecord& stage = attempt.stages.front();
  stage.stage = Stage::compile;
  stage.status = status;
  if (status != StageStatus::ok) stage.error = "it did not come through";
  if (status == StageStatus::failed) stage.failure = FailureClass::build;
  stage.evidence = {{"suite", {{"format", "g"}, {"difficulty", "1"}, {"category", "memory"}}}};
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

TEST(SuiteScore, WhatWasNotRunIsNeitherRightNorWrongAndOfItsPass) {
  for (const StageStatus status :
       {StageStatus::ok, StageStatus::not_judged, StageStatus::unsupported, StageStatus::failed}) {
    const auto scores = suite_scores({answered("a", 1, "TTT"), compiled_only("a", 2, status),
                                      answered("b", 1, "TTT"), answered("b", 2, "TTT")});
    EXPECT_EQ(scores[0].answers, 4u) << int(status);
    EXPECT_EQ(scores[0].unverifiable, 1u) << int(status);
    EXPECT_EQ(scores[0].call.of, 3u) << int(status);
    EXPECT_DOUBLE_EQ(scores[0].at_k[0].exec, 1) << int(status);
  }
}

// No code in it: its record says which kernel it is for.
Attempt without_code(const std::string& name, int candidate) {
  Attempt attempt = answered(name, candidate, "FFF", "3");
  StageRecord& stage = attempt.stages.front();
  stage.stage = Stage::verify;
  stage.status = StageStatus::failed;
  stage.rule = "";
  stage.failure = FailureClass::load;
  stage.blamed = Fault::candidate;
  stage.error = "no candidate: there was no answer";
  stage.evidence = {{"suite", {{"format", "g"}, {"difficulty", "3"}, {"category", "memory"}}}};
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

TEST(SuiteScore, WhatEndsBeforeItsTestsIsWrongInItsGroups) {
  const std::vector<Attempt> attempts{answered("a", 1, "TTT", "3"), without_code("b", 1)};
  const auto scores = suite_scores(attempts);
  ASSERT_EQ(scores.size(), 3u);
  for (const SuiteScore& score : scores) {
    EXPECT_EQ(score.answers, 2u) << score.group;
    EXPECT_EQ(score.call.count, 1u) << score.group;
    EXPECT_EQ(score.call.of, 2u) << score.group;
  }
  EXPECT_FALSE(passes_suite(attempts[1]));
}

TEST(SuiteScore, WhatPassesAssaysOwnTestsIsRight) {
  const auto attempts = run_of_three();
  EXPECT_TRUE(passes_suite(attempts[0]));
  for (size_t n : {1, 2, 4}) EXPECT_FALSE(passes_suite(attempts[n])) << n;
}

struct KernelReader final : RunReader {
  std::map<std::string, std::string> files;
  Result<std::vector<WindowRecord>> windows(const std::string&) override {
    return std::vector<WindowRecord>{};
  }
  std::optional<std::string> text(const std::string& path) override {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }
  // What all answers here are made of.
  static KernelReader usual() {
    KernelReader reader;
    for (const char* name : {"a", "b", "c", "d"}) {
      reader.files[fmt::format("/suite/g/{}.py", name)] = "kernel\n" + kLine + "tests\n";
      reader.files[fmt::format("/mine/{}.py", name)] = "code\n";
    }
    return reader;
  }
};

std::map<std::string, std::string> files_of(const char* format, std::vector<Attempt> attempts,
                                            std::vector<size_t> ks = {},
                                            RunReader* reader = nullptr) {
  ReportInput input = example_run();
  input.attempts = std::move(attempts);
  input.ks = std::move(ks);
  KernelReader usual = KernelReader::usual();
  input.reader = reader ? reader : &usual;
  const auto row = std::ranges::find(formats(), format, &Format::name);
  std::map<std::string, std::string> files;
  for (const ReportFile& file : rendered(*row, input)) files[file.name] = file.text;
  return files;
}

TEST(SuiteScore, TheFolderOfGeakHasAFolderForEachPass) {
  const auto files = files_of("geak", run_of_three());
  auto first = parse_json(files.at("pass_1/out.json_results_0.json"), "pass 0");
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 3u);
  EXPECT_EQ((*first)[0]["file_name"], "a.py");
  EXPECT_EQ((*first)[0]["call_status"], 1);
  EXPECT_EQ((*first)[1]["exec_status"], 1);
  EXPECT_EQ((*first)[1]["assay_status"], 0);
  EXPECT_EQ((*first)[2]["unverifiable"], true);
  EXPECT_TRUE((*first)[2]["call_status"].is_null() && (*first)[2]["exec_status"].is_null());
  EXPECT_TRUE((*first)[2]["assay_status"].is_null());
  EXPECT_EQ((*first)[2]["difficulty"], 2);
  const std::string& log = files.at("pass_1/out.json");
  EXPECT_TRUE(log.starts_with("2026-01-02_03-04-05 => File: a.py, Call Status: True, ")) << log;
  EXPECT_TRUE(
      log.contains("\n2026-01-02_03-04-05 => File: pass 0, Call Accuracy: 1, Exec Accuracy: 1\n"))
      << log;
  EXPECT_TRUE(log.contains("stderr: it is\\nwrong\n")) << log;
  EXPECT_EQ(parse_json(files.at("out.json_all_passes.json"), "all")->size(), 5u);
  const Json summary = *parse_json(files.at("out.json_summary.json"), "summary");
  EXPECT_EQ(summary["a.py"]["call_status"], 1);
  EXPECT_EQ(summary["b.py"]["call_status"], 2);
  EXPECT_TRUE(files.at("out.jsonpassk.txt").contains("Exec Accuracy for k=1: 75\n"));
  EXPECT_EQ(files.at("pass_1/exec/a.py"), "code\n\n" + kLine + "tests\n");
  EXPECT_TRUE(files.contains("pass_1/exec/gen_perf/logs/a_perf.py.log"));
  EXPECT_TRUE(files.contains("pass_1/exec/gen_perf/logs/a_perf.py.err"));
  EXPECT_FALSE(files.contains("pass_2/exec/a.py") || files.contains("pass_1/exec/c.py"));
}

// As geak-eval names them: each by its file of results.
TEST(SuiteScore, APassHasTheNumberOfItsFileWhicheverHaveAnswers) {
  auto of_file = [](Attempt attempt, const std::string& file, int pass) {
    attempt.origin.author = "file:/mine/" + file + "#1";
    return of_pass(std::move(attempt), pass, 3);
  };
  KernelReader reader = KernelReader::usual();
  reader.files["/mine/run_2.json"] = R"([{"file": "a.py", "predict": "code\n"}])";
  reader.files["/mine/run_10.jsonl"] = R"({"file": "a.py", "predict": "code\n"})";
  const auto files = files_of("geak",
                              {of_file(answered("a", 2, "TTT"), "run_2.json", 2),
                               of_file(answered("a", 3, "TTT"), "run_10.jsonl", 3)},
                              {}, &reader);
  auto second = parse_json(files.at("run_2/out.json_results_1.json"), "pass 1");
  ASSERT_TRUE(second && second->size() == 1);
  EXPECT_EQ((*second)[0]["pass_num"], 1);
  EXPECT_TRUE(files.contains("run_10/out.json_results_2.json"));
  EXPECT_EQ(files.at("pass_1/out.json_results_0.json"), "[]\n");
  EXPECT_TRUE(files.at("run_2/out.json").contains(" => File: run_2.json, Call Accuracy: 1,"));
  EXPECT_TRUE(files.contains("run_10/exec/a.py"));

  const auto once = files_of("geak", {of_pass(answered("a", 1, "TTT"), 1, 1),
                                      of_pass(answered("a", 2, "FFF"), 1, 1, true)});
  EXPECT_EQ(parse_json(once.at("out.json_results_0.json"), "pass 0")->size(), 2u);
  EXPECT_FALSE(once.contains("out.json_results_1.json"));
  EXPECT_TRUE(once.contains("exec/a.py"));
  EXPECT_EQ(once.at("out.jsonpassk.txt"), "Call Accuracy: 50\nExec Accuracy: 50\n");
}

// Files without code would be taken for what was handed in.
TEST(SuiteScore, CodeThatIsNoLongerThereIsNamed) {
  const auto missing = [](const char* format, const KernelReader& given, Attempt attempt) {
    KernelReader reader = given;
    ReportInput input = example_run();
    input.attempts = {std::move(attempt)};
    input.reader = &reader;
    MemorySink sink;
    render_report(format_named(format), input, sink);
    const Status finished = sink.finish();
    return finished ? std::string() : finished.error().message;
  };
  KernelReader reader = KernelReader::usual();
  const Attempt attempt = answered("a", 1, "TTT");
  for (const char* format : {"geak", "kernelbench-x"})
    EXPECT_EQ(missing(format, reader, attempt), "") << format;
  reader.files["/mine/a.py"] = "other code\n";
  for (const char* format : {"geak", "kernelbench-x"})
    EXPECT_TRUE(missing(format, reader, attempt).starts_with("'/mine/a.py' has no longer the code"))
        << missing(format, reader, attempt);
  reader.files.erase("/mine/a.py");
  for (const char* format : {"geak", "kernelbench-x"})
    EXPECT_TRUE(missing(format, reader, attempt).starts_with("'/mine/a.py' is no longer there"))
        << missing(format, reader, attempt);
  EXPECT_EQ(missing("kernelbench-x", reader, without_code("a", 1)), "") << "none was handed in";
  reader = KernelReader::usual();
  reader.files.erase("/suite/g/a.py");
  EXPECT_TRUE(
      missing("geak", reader, attempt).starts_with("'/suite/g/a.py' has no longer the tests"));
}

TEST(SuiteScore, PassAtKOfAllViewsGoesByWhatIsAskedFor) {
  std::vector<Attempt> attempts = run_of_three();
  attempts.push_back(without_code("b", 3));
  const std::string lines = files_of("geak", attempts, {2}).at("out.jsonpassk.txt");
  EXPECT_TRUE(lines.contains("for k=2: ")) << lines;
  EXPECT_FALSE(lines.contains("for k=1: ") || lines.contains("for k=3: ")) << lines;
  for (const char* format : {"terminal", "md", "score"}) {
    const std::string text = files_of(format, attempts, {2}).begin()->second;
    EXPECT_TRUE(text.contains("exec pass@k") || text.contains("EXEC PASS@K")) << text;
    EXPECT_FALSE(text.contains("best@k") || text.contains("BEST@K"))
        << "nothing here is ever accepted: " << text;
  }
  EXPECT_TRUE(scores_of(attempts, std::vector<size_t>{1, 2}).empty());
  auto json = parse_json(files_of("json", attempts, {2}).begin()->second, "report");
  ASSERT_TRUE(json);
  ASSERT_EQ((*json)["summary"]["suites"][0]["pass_at_k"].size(), 1u);
  EXPECT_EQ((*json)["summary"]["suites"][0]["passes"], 3);
}

// Kernels of one name are two, and their tests those that they were run with.
TEST(SuiteScore, EachKernelHasItsFileAndItsTests) {
  const std::string& line = kLine;
  KernelReader reader;
  reader.files = {{"/suite/a/same.py", "kernel\n" + line + "tests of a\n"},
                  {"/suite/b/same.py", "kernel\n" + line + "tests of b\n"},
                  {"/tests/same.py", "other tests\n"},
                  {"/mine/same.py", "code\n"}};
  auto of = [](const std::string& level, const std::string& tests) {
    Attempt attempt = answered("same", 1, "TTT");
    attempt.level = level;
    attempt.path = "triton:/suite/" + level + "/same.py" + tests;
    attempt.origin.author = "file:/mine/same.py";
    attempt.origin.candidate_sha256 = sha256("code\n");
    attempt.id = attempt_id(attempt, true);
    return attempt;
  };
  const auto files = files_of("geak", {of("a", ""), of("b", "@tests=/tests/same.py")}, {}, &reader);
  EXPECT_EQ(files.at("exec/a/same.py"), "code\n\n" + line + "tests of a\n");
  EXPECT_EQ(files.at("exec/b/same.py"), "code\n\n" + line + "other tests\n");
  EXPECT_TRUE(files.contains("exec/gen_perf/logs/b/same_perf.py.log"));
  auto results = parse_json(files.at("out.json_results_0.json"), "results");
  ASSERT_TRUE(results);
  EXPECT_EQ((*results)[1]["file_name"], "b/same.py");
}

TEST(SuiteScore, OtherViewsSayNoTimes) {
  const auto arena =
      files_of("arena", {answered("a", 1, "TTT"), answered("b", 1, "FFF"), answered("c", 1, "T??"),
                         unparsed(answered("d", 1, "FFF"))});
  const std::string& untold = arena.at("tour/g/local/c/answers/task_result.yaml");
  EXPECT_TRUE(untold.contains("pass_correctness: null\n") && untold.contains("score: null\n"));
  EXPECT_EQ(arena.at("tasks.txt"), "1 of 3 are correct\n1 left out: unverifiable here\n");
  EXPECT_TRUE(arena.at("tour/g/local/a/answers/task_result.yaml").contains("score: 120\n"));
  const std::string& breaks = arena.at("tour/g/local/b/answers/task_result.yaml");
  EXPECT_TRUE(breaks.contains("pass_compilation: true\ncompilation_error_message: null\n"))
      << "its file is Python";
  EXPECT_TRUE(breaks.contains("score: 20\n"));
  const std::string& unread = arena.at("tour/g/local/d/answers/task_result.yaml");
  EXPECT_TRUE(unread.contains("pass_compilation: false\ncompilation_error_message: \"it is"));
  EXPECT_TRUE(unread.contains("score: 0\n"));
  const auto kbx = files_of("kernelbench-x", run_of_three());
  auto summary = parse_json(kbx.at("summary.json"), "summary");
  ASSERT_TRUE(summary);
  EXPECT_EQ((*summary)["total"], 4);
  EXPECT_EQ((*summary)["unverifiable"], 1);
  EXPECT_EQ((*summary)["call_pass"], 3);
  EXPECT_EQ((*summary)["call_rate"], 75.0);
  EXPECT_TRUE((*summary)["avg_speedup"].is_null());
  auto metrics = parse_json(kbx.at("metrics.json"), "metrics");
  ASSERT_TRUE(metrics);
  const Json& one = (*metrics)["g/a.py"];
  for (const char* key : {"runtime_ms", "gbs", "tflops", "speedup", "maintainability"})
    EXPECT_EQ(one[key], "N/A") << key;
  EXPECT_EQ(one["dtype"], "");
  EXPECT_TRUE(one["code_quality"].is_object());
  EXPECT_TRUE((*metrics)["g/c.py"]["exe_ok"].is_null());
}

TEST(SuiteScore, ThePageHasTheTables) {
  ReportInput input = example_run();
  input.attempts = run_of_three();
  const Json head = page_head(input);
  EXPECT_EQ(head["suites"]["accuracy"].size(), 5u) << "with a head";
  EXPECT_EQ(head["suites"]["at_k"][1][0], "answers");
  EXPECT_FALSE(page_head(example_run()).contains("suites"));
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
