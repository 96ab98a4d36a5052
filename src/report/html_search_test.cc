#include <gtest/gtest.h>

#include "report/html.h"

namespace assay {
namespace {

SearchNode node(SearchStep step, std::vector<int> parents, const std::string& code) {
  SearchNode made;
  made.problem = "s/_/local/sum";
  made.step = step;
  made.parents = std::move(parents);
  made.model = "test:<b>";
  made.idea = "unroll\x1b[2J";
  made.answer.emplace();
  made.answer->text = "```c\n" + code + "```\n";
  return made;
}

SearchNode judged(SearchNode made, const std::string& attempt, Verdict verdict, double ratio = 0) {
  made.verdict.emplace();
  made.verdict->attempt = attempt;
  made.verdict->verdict = verdict;
  if (verdict == Verdict::rejected) made.verdict->reason = "wrong";
  if (ratio > 0) {
    made.verdict->outcome = Outcome::faster;
    made.verdict->ratio = made.verdict->low = ratio;
  }
  return made;
}

SearchRecord record() {
  SearchRecord record;
  Tree& tree = record.trees.emplace_back("s/_/local/sum");
  tree.add(
      judged(node(SearchStep::draft, {}, "int assay_kernel(const assay_call* call);\nint b;\n"),
             "s/_/local/sum/c__s1", Verdict::rejected));
  tree.add(
      judged(node(SearchStep::repair, {1}, "int assay_kernel(const assay_call* call);\nint c;\n"),
             "s/_/local/sum/c__s2", Verdict::accepted, 2));
  tree.add(node(SearchStep::optimise, {2}, ""));
  return record;
}

TEST(HtmlSearch, ATreeHasItsAnswersAndWhatBecameOfThem) {
  const Json trees = page_trees(record());
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees[0]["best"], 2);
  const Json& nodes = trees[0]["nodes"];
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0]["reason"], "wrong");
  EXPECT_EQ(nodes[1]["parents"], Json({1}));
  EXPECT_EQ(nodes[1]["ratio"], 2.0);
  EXPECT_EQ(nodes[2]["at"], "not judged yet");
  EXPECT_FALSE(nodes[2].contains("verdict"));
  EXPECT_FALSE(nodes[0]["idea"].get<std::string>().contains('\x1b'));
}

TEST(HtmlSearch, WhatDidNotComeIsNotBeingJudged) {
  SearchRecord searched = record();
  NodeAnswer& answer = *searched.trees[0].node(3).answer;
  answer = {.end = AnswerEnd::failed, .why = "it is down"};
  EXPECT_EQ(page_trees(searched)[0]["nodes"][2]["at"], "no answer");
  answer.text = "```c\nint";
  EXPECT_EQ(page_trees(searched)[0]["nodes"][2]["at"], "not judged yet") << "some of it came";
}

TEST(HtmlSearch, AnAttemptHasWhatItsAnswerChanged) {
  const SearchRecord searched = record();
  const AnswersOfAttempts answers(searched);
  const Json second = answers.of("s/_/local/sum/c__s2");
  EXPECT_EQ(second["diff"]["from"], 1);
  EXPECT_EQ(second["diff"]["cut"], 0);
  const std::string diff = second["diff"]["text"];
  EXPECT_TRUE(diff.contains("-int b;\n+int c;\n")) << diff;
  EXPECT_TRUE(answers.of("s/_/local/sum/c__s1")["diff"].is_null()) << "it is the first";
  EXPECT_TRUE(answers.of("nobody").is_null());
}

TEST(HtmlSearch, AnEmptySearchIsNone) {
  EXPECT_EQ(page_trees({}), Json::array());
  EXPECT_TRUE(AnswersOfAttempts({}).of("x").is_null());
}

}  // namespace
}  // namespace assay
