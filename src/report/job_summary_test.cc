#include <gtest/gtest.h>

#include "report/comparison.h"
#include "report/example_run.h"

namespace assay {
namespace {

Attempt failing(const std::string& name, const std::string& error) {
  Attempt attempt = example_attempt("level1", name, "local");
  attempt.stages[1].status = StageStatus::failed;
  attempt.stages[1].failure = FailureClass::codegen;
  attempt.stages[1].error = error;
  attempt.artifacts.clear();
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

std::string summary_of(const ReportInput& input) {
  return rendered(format_named("summary"), input).front().text;
}

TEST(JobSummary, WhatSomebodyHasToLookAtComesFirst) {
  ReportInput input = example_run();
  input.attempts = {example_launches("fast", std::vector<double>(6, 0.7)),
                    failing("slow", "no lowering")};
  const std::string text = summary_of(input);
  EXPECT_TRUE(text.contains("**Action required.** 1 of 2 passed")) << text;
  EXPECT_LT(text.find("### Causes"), text.find("### Did not pass"));
  EXPECT_LT(text.find("### Did not pass"), text.find("### Speed"));
  EXPECT_TRUE(text.contains("assay run /suites/tour/level1/slow.py --on local"));
}

TEST(JobSummary, IsShortWhateverTheRun) {
  ReportInput input = example_run();
  input.attempts.clear();
  for (int i = 0; i < 300; ++i)
    input.attempts.push_back(failing("p" + std::to_string(i), std::string(10'000, 'x')));
  const std::string text = summary_of(input);
  EXPECT_LT(text.size(), 64u << 10);
  EXPECT_TRUE(text.contains("270 more."));
}

TEST(JobSummary, HostileTextStaysInItsCell) {
  ReportInput input = example_run();
  Attempt attempt = failing("a", "</details><script>x</script> | ```\n# title");
  attempt.reproduce = "assay run 'a\n</details>\n# b'";
  input.attempts = {attempt};
  const std::string text = summary_of(input);
  EXPECT_FALSE(text.contains("<script>"));
  EXPECT_FALSE(text.contains("\n# "));
  // Its own two, and what is in indented code stays code: no line begins with it.
  EXPECT_FALSE(text.contains("\n</details>\n# b"));
}

TEST(JobSummary, AComparisonNamesWhatIsBrokenAndHowToSeeIt) {
  ReportInput before = example_run(), after = example_run();
  before.attempts = {example_attempt("level1", "a", "local"),
                     example_attempt("level1", "b", "local")};
  after.attempts = {failing("a", "no lowering"), example_attempt("level1", "b", "local")};
  const std::vector<std::string> fixed{"eager"};
  const std::string text = rendered(format_named("summary"), compare(before, after, fixed));
  EXPECT_TRUE(text.contains("**Action required.** 2 attempts in common: 1 broken, 0 fixed."))
      << text;
  EXPECT_TRUE(text.contains("### Broken (1)"));
  EXPECT_TRUE(text.contains("    assay run /suites/tour/level1/a.py --on local"));
  const std::string good = rendered(format_named("summary"), compare(before, before, fixed));
  EXPECT_TRUE(good.contains("**Nothing is broken or slower.**"));
}

}  // namespace
}  // namespace assay
