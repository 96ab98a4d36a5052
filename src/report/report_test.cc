// Every report format on one fixed run, compared with an approved file in tests/golden/. Run with
// ASSAY_APPROVE=1 to accept a change; review it as a diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "built.h"
#include "report/example_run.h"
#include "report/format.h"
#include "report/html.h"
#include "report/show.h"

namespace assay {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  std::string path = std::string(built::kSourceFolder) + "/tests/golden/" + name;
  if (std::getenv("ASSAY_APPROVE")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream approved;
  approved << file.rdbuf();
  EXPECT_EQ(text, approved.str()) << path;
}

TEST(Report, EveryFormatIsAsApproved) {
  ReportInput input = example_run();
  for (const Attempt& each : input.attempts) ASSERT_TRUE(check(each));
  for (const Format& format : report_formats()) {
    if (format.name == "kernelbench") continue;  // many files: kernelbench_test.cc
    if (format.name == "svg") continue;          // of what is timed: chart_test.cc
    if (format.runs || format.name == "geak" || format.name == "arena" ||
        format.name == "kernelbench-x")
      continue;                   // of kernels with tests: suite_score_test.cc
    if (format.name == "html") {  // its data: the page itself is what web/ makes
      expect_golden("report.html", dump_json(page_table(input), 1) + "\n");
      continue;
    }
    if (format.of_searches) continue;  // search_results_test.cc
    for (const ReportFile& file : rendered(format, input))
      expect_golden(format.files ? file.name : "report." + std::string(format.name), file.text);
  }
}

TEST(Report, TheTerminalListsAllAttemptsWhenAsked) {
  ReportInput input = example_run();
  input.all = true;
  expect_golden("report.terminal.all", rendered(format_named("terminal"), input).front().text);
}

// Two authors against two baselines, one with several candidates.
TEST(Report, WhatWasTimedIsAsApproved) {
  ReportInput input = example_run();
  input.attempts.clear();
  auto add = [&](const std::string& author, const std::string& problem, int candidate,
                 const std::vector<Speedup>& speedups) {
    Attempt attempt = example_verified(problem, "local");
    attempt.author = author;
    attempt.candidate = candidate;
    if (speedups.empty()) {
      attempt.stages.back().status = StageStatus::rejected;
      attempt.stages.back().rule = "wrong";
      attempt.stages.back().error = "3 of 32 elements are wrong";
    } else {
      attempt = example_timed(std::move(attempt), speedups[0]);
      attempt.timing->speedups = speedups;
    }
    attempt.verdict = verdict_of(attempt.stages);
    attempt.id = attempt_id(attempt, attempt.author != "iree");
    ASSERT_TRUE(check(attempt));
    input.attempts.push_back(std::move(attempt));
  };
  add("mine", "product", 1,
      {{"eager", 2.125, 2, 2.25, Outcome::faster, "", {}, {}},
       {"inductor", 1.005, 0.995, 1.008, Outcome::equal, "", {}, {}}});
  add("mine", "softmax", 1,
      {{"eager", 1.02, 0.9, 1.2, Outcome::undecided, "noisy", {}, {}},
       {"inductor", 0.5, 0.45, 0.55, Outcome::slower, "", {}, {}}});
  add("model", "product", 1, {{"eager", 250, 240, 260, Outcome::faster, "", {}, {}}});
  add("model", "product", 2, {});
  add("model", "softmax", 1, {});
  for (const char* name : {"terminal", "md", "json", "csv", "junit"})
    expect_golden("timed." + std::string(name), rendered(format_named(name), input).front().text);
}

TEST(Report, OneAttemptInPlainWords) {
  ReportInput input = example_run();
  expect_golden("show.failed", show_attempt(input.attempts[0], "runs/tour/x", "/runs/tour"));
  expect_golden("show.compiled", show_attempt(input.attempts[3], "runs/tour/y", "/runs/tour"));
  expect_golden("show.rejected", show_attempt(input.attempts[1], "runs/tour/z", "/runs/tour"));
  expect_golden("show.accepted", show_attempt(input.attempts[2], "runs/tour/w", "/my runs/tour"));
  expect_golden("show.replay", show_attempt(input.attempts[7], "runs/tour/v", "/runs/tour"));
}

TEST(Report, AnEmptyRunIsRenderedToo) {
  ReportInput input = example_run();
  input.attempts.clear();
  for (const Format& format : report_formats()) EXPECT_FALSE(rendered(format, input).empty());
}

TEST(Report, JsonReadsBackAsTheSameAttempts) {
  ReportInput input = example_run();
  auto json = parse_json(rendered(format_named("json"), input).front().text, "the report");
  ASSERT_TRUE(json);
  ASSERT_EQ((*json)["attempts"].size(), input.attempts.size());
  for (size_t i = 0; i < input.attempts.size(); ++i)
    EXPECT_EQ(*attempt_from_json((*json)["attempts"][i]), input.attempts[i]);
}

TEST(Summary, ExitStatusFollowsTheWorst) {
  auto with = [](std::vector<Verdict> verdicts) {
    std::vector<Attempt> attempts(verdicts.size());
    for (size_t i = 0; i < verdicts.size(); ++i) attempts[i].verdict = verdicts[i];
    return exit_status(attempts);
  };
  EXPECT_EQ(with({}), 0);
  EXPECT_EQ(with({Verdict::compiled, Verdict::accepted}), 0);
  EXPECT_EQ(with({Verdict::compiled, Verdict::failed}), 1);
  EXPECT_EQ(with({Verdict::unsupported}), 1);
  EXPECT_EQ(with({Verdict::rejected}), 1);
  EXPECT_EQ(with({Verdict::not_judged, Verdict::failed}), 2);
}

}  // namespace
}  // namespace assay
