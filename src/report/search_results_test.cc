#include "report/search_results.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/example_run.h"
#include "report/format.h"

namespace assay {
namespace {

constexpr const char* kRelu = "KernelBench/level1/local/19_ReLU/gpt";
constexpr const char* kSoftmax = "KernelBench/level1/local/23_Softmax/gpt";
constexpr const char* kGemm = "KernelBench/level1/local/7_Gemm/gpt";

NodeVerdict rejected() {
  return {.verdict = Verdict::rejected, .reason = "wrong", .feedback_kind = "wrong"};
}
NodeVerdict failed() {
  return {.verdict = Verdict::failed, .reason = "build", .feedback_kind = "compile error"};
}
NodeVerdict timed(double ratio, Outcome outcome) {
  return {.verdict = Verdict::accepted,
          .outcome = outcome,
          .ratio = ratio,
          .low = ratio - 0.1,
          .high = ratio + 0.1,
          .feedback_kind = outcome == Outcome::faster ? "fast" : "slow"};
}

SearchNode node_of(SearchStep step, int attempt, int sample, NodeVerdict verdict,
                   std::vector<int> parents = {}) {
  SearchNode node;
  node.step = step;
  node.attempt = attempt;
  node.sample = sample;
  node.parents = std::move(parents);
  node.answer =
      NodeAnswer{.text = "```c\nint assay_kernel(const assay_call* call) { return 0; }\n```\n",
                 .usage = Usage{.input = 100, .output = 50},
                 .finished = "2026-01-02T03:10:00Z"};
  node.verdict = std::move(verdict);
  return node;
}

// The record of a node's attempt, as far as files have it.
void add_attempt(ReportInput& input, SearchNode& node) {
  Attempt attempt = example_verified("x", "local");
  attempt.suite = "KernelBench";
  attempt.level = "level1";
  attempt.workload = node.problem.substr(25, node.problem.find('/', 25) - 25);
  attempt.author = "gpt";
  attempt.candidate = node.number;
  StageRecord& verify = attempt.stages.back();
  const double error = 0.25 * node.number;
  verify.evidence = {{"rounds",
                      {{{"family", "own"},
                        {"outputs",
                         {{{"compared", 10},
                           {"error_max", error},
                           {"error_mean", error / 2},
                           {"nan", 0},
                           {"infinite", node.verdict->verdict == Verdict::rejected ? 1 : 0}}}}}}}};
  if (node.verdict->verdict == Verdict::rejected) {
    verify.status = StageStatus::rejected;
    verify.rule = "wrong";
    verify.error = "3 of 32 elements are wrong";
  } else if (node.verdict->verdict == Verdict::failed) {
    verify.status = StageStatus::failed;
    verify.failure = FailureClass::build;
    verify.error = "it does not build";
  } else {
    attempt = example_timed(attempt, {"eager",
                                      node.verdict->ratio,
                                      node.verdict->low,
                                      node.verdict->high,
                                      *node.verdict->outcome,
                                      "",
                                      {},
                                      {}});
  }
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, true);
  node.verdict->attempt = attempt.id;
  if (node.confirmed) node.confirmed->attempt = attempt.id;
  ASSERT_TRUE(check(attempt));
  input.attempts.push_back(std::move(attempt));
}

// One problem that is won by repair, one that is right at once and slow, and one that never is.
ReportInput searched() {
  ReportInput input = example_run();
  input.attempts.clear();
  Tree relu(kRelu), softmax(kSoftmax), gemm(kGemm);
  relu.add(node_of(SearchStep::draft, 1, 1, failed()));
  relu.add(node_of(SearchStep::draft, 1, 2, rejected()));
  relu.add(node_of(SearchStep::repair, 2, 1, timed(0.8, Outcome::slower), {2}));
  relu.add(node_of(SearchStep::optimise, 3, 1, timed(1.6, Outcome::faster), {3}));
  relu.node(4).confirmed = timed(1.5, Outcome::faster);
  softmax.add(node_of(SearchStep::draft, 1, 1, timed(0.5, Outcome::slower)));
  softmax.add(
      node_of(SearchStep::draft, 1, 2,
              {.verdict = Verdict::failed, .reason = "no block", .feedback_kind = "no code"}));
  softmax.node(2).answer->text = "I can not.";
  gemm.add(node_of(SearchStep::draft, 1, 1, rejected()));
  for (Tree* tree : {&relu, &softmax, &gemm})
    for (int number = 1; number <= static_cast<int>(tree->nodes().size()); ++number)
      if (tree->node(number).verdict->feedback_kind != "no code")
        add_attempt(input, tree->node(number));
  for (const Tree* tree : {&relu, &softmax, &gemm})
    for (const SearchNode& node : tree->nodes()) {
      input.search.calls.push_back({.problem = node.problem,
                                    .node = node.number,
                                    .is_settled = true,
                                    .tokens = 150,
                                    .usd = 0.5});
    }
  input.search.trees = {relu, softmax, gemm};
  return input;
}

std::string text_of(const std::vector<ReportFile>& files, const std::string& name) {
  auto found = std::ranges::find(files, name, &ReportFile::name);
  EXPECT_NE(found, files.end()) << name;
  return found == files.end() ? "" : found->text;
}

TEST(SearchResults, CountsWhatSearchesCameTo) {
  const ReportInput input = searched();
  const std::vector<SearchScore> scores = search_scores(input.search);
  ASSERT_EQ(scores.size(), 1u);
  const SearchScore& score = scores[0];
  EXPECT_EQ(score.level, "KernelBench/level1");
  EXPECT_EQ(score.problems, 3u);
  EXPECT_EQ(score.success, 1u);
  EXPECT_EQ(score.partial, 1u);
  EXPECT_EQ(score.failed, 1u);
  EXPECT_EQ(score.right_at_once, 1u);
  EXPECT_EQ(score.right_by_repair, 1u);
  EXPECT_EQ(score.faster, 1u);
  EXPECT_NEAR(score.fast[0].by_estimate, 2.0 / 3, 1e-12);  // right
  EXPECT_NEAR(score.fast[3].by_estimate, 1.0 / 3, 1e-12);  // more than 1.0x
  EXPECT_EQ(score.fast[4].by_estimate, 0) << "1.5x is not more than 1.5x: the confirmed one counts";
  EXPECT_EQ(score.by_attempt.at(1).answers, 5u);
  EXPECT_EQ(score.by_attempt.at(1).right, 1u);
  EXPECT_EQ(score.by_attempt.at(2).right, 1u);
  EXPECT_EQ(score.failures,
            (std::map<std::string, size_t>{{"compile error", 1}, {"no code", 1}, {"wrong", 2}}));
  ASSERT_EQ(score.pass_at.size(), 1u) << "two were asked alike, at most";
  EXPECT_NEAR(score.pass_at[0].chance, 0.5 / 3, 1e-12);
  EXPECT_EQ(score.spent.tokens, 1050);
  EXPECT_DOUBLE_EQ(score.spent.usd, 3.5);
  const Json json = search_summary_json(input.search);
  EXPECT_EQ(json["suites"][0]["usd_per_speedup"], 3.5);
  EXPECT_EQ(json["tasks"][0]["best_speedup"], 1.5);
  const std::string words = search_summary_in_words(input.search);
  EXPECT_TRUE(words.contains("3.50 usd for each accepted speed-up")) << words;
  EXPECT_TRUE(words.contains("right by attempt  1: 1 of 5, 2: 1 of 1, 3: 1 of 1")) << words;
}

// What a model is not to blame for is in none of its rates.
TEST(SearchResults, AnswersWithoutAVerdictAreCountedApart) {
  SearchRecord record;
  Tree tree(kRelu);
  tree.add(node_of(SearchStep::draft, 1, 1, timed(1.5, Outcome::faster)));
  tree.add(node_of(
      SearchStep::draft, 1, 2,
      {.verdict = Verdict::not_judged, .fault = Fault::machine, .feedback_kind = "not judged"}));
  tree.add(
      node_of(SearchStep::draft, 1, 3,
              {.verdict = Verdict::failed, .fault = Fault::problem, .feedback_kind = "problem"}));
  tree.add(node_of(SearchStep::draft, 1, 4, {.verdict = Verdict::failed, .reason = "no answer"}));
  tree.node(4).answer = NodeAnswer{.end = AnswerEnd::failed};
  record.trees = {tree, Tree(kSoftmax)};
  const SearchScore score = search_scores(record).at(0);
  EXPECT_EQ(score.problems, 2u) << "nobody was asked for the other one";
  EXPECT_EQ(score.not_judged, 1u);
  EXPECT_EQ(score.by_attempt.at(1).answers, 1u);
  EXPECT_EQ(score.by_attempt.at(1).right, 1u);
  ASSERT_EQ(score.pass_at.size(), 1u);
  EXPECT_EQ(score.pass_at[0].chance, 1.0);
  EXPECT_EQ(score.failures, (std::map<std::string, size_t>{}));
  EXPECT_EQ(score.without_verdict,
            (std::map<std::string, size_t>{{"no answer", 1}, {"not judged", 1}, {"problem", 1}}));
  const std::string words = search_summary_in_words(record);
  EXPECT_TRUE(words.contains("without verdict   no answer 1, not judged 1, problem 1")) << words;
}

// An outage left one problem a single answer, which is wrong: it has no pass@3. Another was right
// at once, and nobody was asked for more.
TEST(SearchResults, ChancesAreOfProblemsWithSoManyAnswersOrARightOne) {
  SearchRecord record;
  Tree few(kRelu), many(kSoftmax), cut("KernelBench/level1/local/26_GELU/gpt");
  cut.add(node_of(SearchStep::draft, 1, 1, rejected()));
  few.add(node_of(SearchStep::draft, 1, 1, timed(1.5, Outcome::faster)));
  many.add(node_of(SearchStep::draft, 1, 1, timed(1.5, Outcome::faster)));
  for (const int sample : {2, 3}) many.add(node_of(SearchStep::draft, 1, sample, rejected()));
  many.node(1).confirmed = rejected();
  record.trees = {few, many, cut};
  const SearchScore score = search_scores(record).at(0);
  ASSERT_EQ(score.pass_at.size(), 2u) << "nobody was asked five times";
  EXPECT_EQ(score.pass_at[0].problems, 3u);
  EXPECT_DOUBLE_EQ(score.pass_at[0].chance, 1.0 / 3);
  EXPECT_EQ(score.pass_at[1].k, 3u);
  EXPECT_EQ(score.pass_at[1].problems, 2u);
  EXPECT_EQ(score.pass_at[1].chance, 0.5);
  EXPECT_EQ(score.right_at_once, 1u) << "what was not so when it was judged once more is not right";
  const std::string words = search_summary_in_words(record);
  EXPECT_TRUE(words.contains("pass@1 33.3 %, pass@3 50 % of 2 problems")) << words;
}

TEST(SearchResults, AnotherTargetIsCountedApartAndAllTogether) {
  ReportInput input = searched();
  Tree other("KernelBench/level1/a100/7_Gemm/gpt");
  other.add(node_of(SearchStep::draft, 1, 1, rejected()));
  input.search.trees.push_back(other);
  const std::vector<SearchScore> scores = search_scores(input.search);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].target, "a100");
  EXPECT_EQ(scores[2].level, "");
  EXPECT_EQ(scores[2].problems, 4u);
}

// Counts are of what the model answered, and not of the kernel that the search starts from.
TEST(SearchResults, WhatASearchStartsFromIsNoAnswer) {
  SearchRecord record;
  Tree tree(kRelu);
  tree.add(node_of(SearchStep::draft, 0, 1, timed(0.5, Outcome::slower)));
  tree.node(1).answer->usage.reset();
  tree.add(node_of(SearchStep::optimise, 1, 1, timed(0.8, Outcome::slower), {1}));
  tree.add(node_of(SearchStep::optimise, 1, 2, rejected(), {1}));
  record.trees = {tree};
  const SearchScore score = search_scores(record).at(0);
  EXPECT_EQ(score.right_at_once, 1u);
  EXPECT_EQ(score.right_by_repair, 0u);
  EXPECT_FALSE(score.by_attempt.contains(0));
  ASSERT_EQ(score.pass_at.size(), 1u);
  EXPECT_EQ(score.pass_at[0].chance, 0.5);
  EXPECT_TRUE(score.spent.are_tokens_known()) << "nobody answered it";
  EXPECT_EQ(search_summary_json(record)["tasks"][0]["answers"], 2);
}

TEST(SearchResults, WhatCannotRunHereIsSaidToBeCompiled) {
  SearchRecord record;
  Tree tree("KernelBench/level1/a100/19_ReLU/gpt");
  tree.add(node_of(SearchStep::draft, 1, 1,
                   {.verdict = Verdict::compiled,
                    .reached = "smoke",
                    .is_final = true,
                    .feedback_kind = "right"}));
  record.trees = {tree};
  const SearchScore score = search_scores(record).at(0);
  EXPECT_EQ(score.compiled, 1u);
  EXPECT_EQ(score.success + score.partial + score.failed + score.not_judged, 0u);
  EXPECT_EQ(score.fast[0].by_estimate, 0) << "nobody knows whether it is right";
  EXPECT_EQ(search_summary_json(record)["tasks"][0]["status"], "compiled");
  EXPECT_EQ(search_summary_json(record)["tasks"][0]["best_node"], 1);
  const std::string words = search_summary_in_words(record);
  EXPECT_TRUE(words.contains("a100 cannot run here: ")) << words;
  EXPECT_TRUE(words.contains("smoke")) << words;
}

TEST(Hipkittens, WritesTheFilesOfTheRunner) {
  ReportInput input = searched();
  input.search.places[kRelu].is_flat = true;
  const auto files = rendered(format_named("hipkittens"), input);
  ASSERT_EQ(files.size(), 4u);
  auto summary = parse_json(text_of(files, "summary.json"), "summary.json");
  ASSERT_TRUE(summary);
  EXPECT_EQ((*summary)["tasks"][1]["status"], "partial");
  auto report = parse_json(text_of(files, "detailed_report.json"), "detailed_report.json");
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["summary"],
            (Json{{"total", 3}, {"success", 1}, {"partial", 1}, {"failed", 1}}));
  const Json& relu = (*report)["tasks"][0];
  EXPECT_EQ(relu["problem"], "19_ReLU");
  EXPECT_EQ(relu["max_diff"], 1.0);
  EXPECT_EQ(relu["ref_time_ms"], 3.0);
  EXPECT_EQ(relu["new_time_ms"], 2.0);
  EXPECT_EQ(relu["code_file"], "runs/tour/19_ReLU/best_code.c");
  EXPECT_EQ(relu["error"], nullptr);
  const Json& gemm = (*report)["tasks"][2];
  EXPECT_EQ(gemm["max_diff"], nullptr);
  EXPECT_EQ(gemm["code_file"], nullptr);
  EXPECT_EQ(gemm["error"], "Accuracy check failed: 3 of 32 elements are wrong");
  const std::string text = text_of(files, "detailed_report.txt");
  EXPECT_TRUE(text.contains("✓ Success (speedup >= 1.0x): 1 (33.3%)")) << text;
  EXPECT_TRUE(
      text.contains("19_ReLU                             ✓ success  1.50x      1.000000 "
                    "    3.000      2.000"))
      << text;
  EXPECT_TRUE(text.contains("7_Gemm:\n  Accuracy check failed: 3 of 32")) << text;
  EXPECT_TRUE(text.contains("1. 19_ReLU: 1.50x speedup\n2. 23_Softmax: 0.50x speedup")) << text;
  const std::string log = text_of(files, "batch_run.log");
  EXPECT_TRUE(log.contains("    Sample 2: accuracy=False, speedup=0x\n")) << log;
  EXPECT_TRUE(
      log.contains("  Best sample: code_3_s1.c (speedup=1.5x)\n"
                   "  ✓ Accuracy passed, speedup: 1.5x\n  ✓✓ Performance target met!\n"))
      << log;
  EXPECT_TRUE(log.contains("Final result for 7_Gemm: failed (best speedup: 0x)")) << log;
}

TEST(Kernelbench, OfASearchEachAnswerIsASample) {
  const ReportInput input = searched();
  const Format& format = format_named("kernelbench");
  const auto files = rendered(format, input);
  std::vector<std::string> names;
  for (const ReportFile& file : files) names.push_back(file.name);
  EXPECT_EQ(names, report_files(format, input));
  EXPECT_EQ(std::ranges::count_if(names, [](auto& name) { return name.ends_with("_kernel.c"); }),
            6);
  EXPECT_TRUE(text_of(files, "level_1_problem_19_sample_3_kernel.c").contains("assay_kernel"));
  auto results = parse_json(text_of(files, "eval_results.json"), "eval_results.json");
  ASSERT_TRUE(results);
  EXPECT_EQ((*results)["19"].size(), 4u);
  EXPECT_EQ((*results)["19"][3]["correctness"], true);
  EXPECT_EQ((*results)["19"][3]["runtime"], 2.1);
  EXPECT_EQ((*results)["23"][1]["compiled"], false);
  auto passed = parse_json(text_of(files, "pass_at_k_results.json"), "pass_at_k_results.json");
  ASSERT_TRUE(passed);
  // First answers alone: what was mended was told of another one.
  EXPECT_EQ((*passed)["problems"]["19"]["total_samples"], 2);
  EXPECT_EQ((*passed)["problems"]["19"]["correct_samples"], 0);
  EXPECT_EQ((*passed)["problems"]["19"]["pass@1"], 0);
  EXPECT_EQ((*passed)["metadata"]["total_evaluated_samples"], 5);
  EXPECT_NEAR((*passed)["averages"]["avg_pass@1"].get<double>(), (0 + 0.5 + 0) / 3, 1e-12);
  EXPECT_DOUBLE_EQ((*passed)["averages"]["avg_pass@1"].get<double>(),
                   search_scores(input.search)[0].pass_at[0].chance);
}

}  // namespace
}  // namespace assay
