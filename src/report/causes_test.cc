#include "report/causes.h"

#include <gtest/gtest.h>

#include <fstream>

#include "built.h"

namespace assay {
namespace {

// tests/data/causes.txt: lines, then "=> " and the cause of each of them.
TEST(Causes, EachErrorLineHasTheCauseThatTheFileSays) {
  std::ifstream file(std::string(built::kSourceFolder) + "/tests/data/causes.txt");
  std::vector<std::string> errors;
  size_t entries = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("=> ")) {
      errors.push_back(line);
      continue;
    }
    ASSERT_FALSE(errors.empty()) << line;
    for (const std::string& error : errors) EXPECT_EQ(cause_of(error), line.substr(3)) << error;
    errors.clear();
    ++entries;
  }
  EXPECT_TRUE(errors.empty()) << "the last entry has no cause";
  EXPECT_GT(entries, 20u);
}

TEST(Causes, AnyBytesGiveOnePrintableLine) {
  EXPECT_EQ(cause_of(""), "no message");
  EXPECT_EQ(cause_of("  "), "no message");
  EXPECT_EQ(cause_of("a\nb\x1b[K"), "a\\nb\\x1b[K");
  EXPECT_EQ(cause_of(" (x.py:1)"), "no message");
  for (const char* odd : {"/", "./", "~/", "%", "@", "[", "(", "<", ">", "a<", "0x", "1e", "1.",
                          "'", "[1", "%1#", "failed to legalize operation '",
                          "failed to legalize operation 'torch.operator' name = \""})
    EXPECT_FALSE(cause_of(odd).empty()) << odd;
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "\u00e9 ";
  std::string cause = cause_of(wide);
  EXPECT_LE(cause.size(), 203u);
  EXPECT_TRUE(cause.ends_with("..."));
}

TEST(Causes, OfABrokenRuleItIsTheRuleAndTheInputs) {
  Attempt attempt;
  attempt.path = "/s/a.py";
  attempt.target = "local";
  StageRecord record;
  record.stage = Stage::verify;
  record.status = StageStatus::rejected;
  record.rule = "precision";
  record.error = "its error is 1.2e+05 times that of the baseline, and at most 16 (inputs: large)";
  attempt.stages = {record};
  EXPECT_EQ(find_causes({attempt}).front().text,
            "it computes this with fewer bits than it was asked to, or unstably (inputs: large)");
  attempt.stages.front().rule = "of another assay";
  EXPECT_EQ(find_causes({attempt}).front().text,
            "its error is N times that of the baseline, and at most N (inputs: large)");
}

Attempt failing(const std::string& problem, const std::string& target, Stage stage,
                FailureClass failure, const std::string& error) {
  Attempt attempt;
  attempt.path = problem;
  attempt.target = target;
  StageRecord record;
  record.stage = stage;
  record.status = StageStatus::failed;
  record.failure = failure;
  record.error = error;
  attempt.stages = {record};
  return attempt;
}

TEST(Causes, GroupsByStageClassAndCauseWithTheLargestFirst) {
  Attempt passed;
  passed.stages = {StageRecord{}};
  std::vector<Attempt> attempts{
      failing("a", "x", Stage::compile, FailureClass::crash, "crashed"),
      failing("a", "y", Stage::export_, FailureClass::crash, "crashed"),
      passed,
      failing("b", "x", Stage::compile, FailureClass::codegen, "limit of 1"),
      failing("c", "y", Stage::compile, FailureClass::codegen, "limit of 2"),
      failing("c", "x", Stage::compile, FailureClass::codegen, "limit of 3"),
  };
  auto causes = find_causes(attempts);
  ASSERT_EQ(causes.size(), 3u);
  EXPECT_EQ(causes[0].text, "limit of N");
  EXPECT_EQ(causes[0].problems, 2u);
  EXPECT_EQ(causes[0].attempts.size(), 3u);
  EXPECT_EQ(causes[0].targets, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(causes[1].stage, Stage::export_);
  EXPECT_EQ(causes[2].stage, Stage::compile);
  EXPECT_EQ(where_in_words(causes[2]), "compile: crash");
}

}  // namespace
}  // namespace assay
