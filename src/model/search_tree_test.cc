#include "model/search_tree.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

NodeVerdict faster_by(double ratio) {
  return {.verdict = Verdict::accepted,
          .outcome = Outcome::faster,
          .ratio = ratio,
          .low = ratio - 0.1,
          .high = ratio + 0.1,
          .reached = "timed"};
}

NodeVerdict at_fault(Fault fault) {
  return {.verdict = Verdict::failed, .reason = "exception", .fault = fault};
}

TEST(SearchTree, TheBestIsAmongThoseThatWereJudgedOnceMore) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = faster_by(6.7);
  tree.add({}).verdict = faster_by(6.5);
  EXPECT_EQ(best(tree, terms)->number, 1) << "as long as nothing is confirmed";
  tree.node(2).confirmed = faster_by(5.6);
  EXPECT_EQ(best(tree, terms)->number, 2) << "a quick look is not held against it";
  EXPECT_EQ(best_looking(tree, terms)->number, 1) << "quick looks are held against each other";
  EXPECT_EQ(worth_confirming(tree, terms), 1);
  tree.node(1).confirmed = faster_by(5.4);
  EXPECT_EQ(best(tree, terms)->number, 2);
  EXPECT_EQ(worth_confirming(tree, terms), 0);
}

TEST(SearchTree, WhatLooksBetterThanIsSureIsJudgedOnceMoreToo) {
  const SearchTerms terms;
  Tree tree("p");
  for (double look : {1.9, 1.8, 1.7, 1.6, 1.2}) tree.add({}).verdict = faster_by(look);
  tree.node(1).confirmed = faster_by(1.3);
  EXPECT_EQ(worth_confirming(tree, terms), 2) << "the lucky one is no better than it looks";
  tree.node(2).confirmed = faster_by(1.5);
  EXPECT_EQ(worth_confirming(tree, terms), 3);
  tree.node(3).confirmed = faster_by(1.4);
  EXPECT_EQ(worth_confirming(tree, terms), 0) << "three are enough";
  EXPECT_EQ(best(tree, terms)->number, 2);
  for (int number : {1, 2, 3})
    tree.node(number).confirmed = NodeVerdict{.verdict = Verdict::rejected, .reason = "wrong"};
  EXPECT_EQ(worth_confirming(tree, terms), 4) << "none is sure";
  tree.node(4).confirmed = faster_by(1.3);
  EXPECT_EQ(worth_confirming(tree, terms), 0) << "the last one looks no better";
}

TEST(SearchTree, WhatWasNotConfirmedIsNotTheBest) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = faster_by(3);
  tree.add({}).verdict = faster_by(2);
  tree.node(1).confirmed = NodeVerdict{.verdict = Verdict::rejected, .reason = "wrong"};
  EXPECT_EQ(best(tree, terms)->number, 2);
  EXPECT_EQ(worth_confirming(tree, terms), 2);
  // Of those that are, one that reaches the goal is before one that may be luckier.
  tree.node(2).confirmed = faster_by(1.5);
  NodeVerdict undecided = faster_by(1.7);
  undecided.outcome = Outcome::undecided;
  tree.add({}).verdict = faster_by(1.9);
  tree.node(3).confirmed = undecided;
  EXPECT_EQ(best(tree, terms)->number, 2);
}

TEST(SearchTree, WhatCompilesIsAllWhereNothingCanRun) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = NodeVerdict{.verdict = Verdict::rejected, .reason = "wrong"};
  EXPECT_EQ(status_of(tree, terms), SearchStatus::failed);
  // It compiles, and Triton's interpreter could not look at it.
  tree.add({}).verdict = NodeVerdict{.verdict = Verdict::compiled, .reached = "compiled"};
  EXPECT_EQ(best(tree, terms)->number, 2);
  EXPECT_FALSE(reaches(*tree.node(2).verdict, terms));
  tree.add({}).verdict =
      NodeVerdict{.verdict = Verdict::compiled, .reached = "smoke", .is_final = true};
  EXPECT_TRUE(reaches(*tree.node(3).verdict, terms));
  EXPECT_EQ(worth_confirming(tree, terms), 0) << "there is nothing to time";
  EXPECT_EQ(status_of(tree, terms), SearchStatus::compiled);
}

// Then answers that did not come are missing no more.
TEST(SearchTree, WhatIsReachedIsConfirmedOrCannotBe) {
  const SearchTerms terms, untimed{.is_timed = false};
  Tree tree("p");
  EXPECT_FALSE(has_reached(tree, terms));
  tree.add({}).verdict = faster_by(2);
  EXPECT_FALSE(has_reached(tree, terms)) << "one quick look";
  EXPECT_TRUE(has_reached(tree, untimed));
  NodeVerdict& compiled =
      tree.node(1).verdict.emplace(NodeVerdict{.verdict = Verdict::compiled, .reached = "smoke"});
  EXPECT_FALSE(has_reached(tree, terms)) << "something was left out that can be seen here";
  compiled.is_final = true;
  EXPECT_TRUE(has_reached(tree, terms));
  EXPECT_EQ(status_of(tree, terms), SearchStatus::compiled);
  tree.node(1).verdict = tree.node(1).confirmed = faster_by(2);
  EXPECT_TRUE(has_reached(tree, terms));
  EXPECT_EQ(status_of(tree, terms), SearchStatus::success);
}

TEST(SearchTree, AFaultThatIsNotTheAnswersIsNoFailure) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = at_fault(Fault::candidate);
  EXPECT_EQ(stopped_by(tree), nullptr);
  EXPECT_EQ(status_of(tree, terms), SearchStatus::failed);
  tree.add({}).verdict = at_fault(Fault::problem);
  EXPECT_EQ(stopped_by(tree), &*tree.nodes()[1].verdict);
  EXPECT_EQ(status_of(tree, terms), SearchStatus::not_judged);
}

// It asks for a GPU, and the target is a CPU.
TEST(SearchTree, WhatIsNotJudgedByItsOwnChoiceEndsNothing) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = NodeVerdict{.verdict = Verdict::not_judged, .fault = Fault::candidate};
  EXPECT_EQ(stopped_by(tree), nullptr);
  EXPECT_EQ(status_of(tree, terms), SearchStatus::failed);
  tree.node(1).verdict->fault = Fault::machine;
  EXPECT_EQ(stopped_by(tree), &*tree.nodes()[0].verdict);
  EXPECT_EQ(status_of(tree, terms), SearchStatus::not_judged);
}

TEST(SearchTree, WhatCouldNotBeJudgedOnceMoreStaysWhatItWas) {
  const SearchTerms terms;
  Tree tree("p");
  tree.add({}).verdict = faster_by(2);
  tree.node(1).confirmed = at_fault(Fault::machine);
  EXPECT_EQ(tree.node(1).known(), &*tree.node(1).verdict);
  EXPECT_FALSE(has_reached(tree, terms)) << "it is not confirmed";
  EXPECT_EQ(status_of(tree, terms), SearchStatus::partial);
  EXPECT_EQ(stopped_by(tree), &*tree.node(1).confirmed);
  EXPECT_EQ(worth_confirming(tree, terms), 0) << "not a third time";
}

// In whichever order two drafts are judged, the same question has the same name.
TEST(SearchTree, AKeyHasPlacesOfParentsAndNotTheirNumbers) {
  Tree one("suite/level/local/p/gpt"), other("suite/level/local/p/other");
  for (Tree* tree : {&one, &other}) {
    tree->add({.problem = "", .sample = 1});
    tree->add({.problem = "", .sample = 2});
  }
  const SearchNode first{.problem = "", .step = SearchStep::repair, .parents = {1}, .sample = 1};
  const SearchNode second{.problem = "", .step = SearchStep::repair, .parents = {2}, .sample = 2};
  one.add(first);
  one.add(second);
  other.add(second);
  other.add(first);
  EXPECT_EQ(one.key(one.node(3)), "suite/level/local/p repair of [1.1] attempt 1 sample 1");
  EXPECT_EQ(one.key(one.node(3)), other.key(other.node(4)));
  const SearchNode again{.problem = "", .step = SearchStep::repair, .parents = {3}, .sample = 1};
  EXPECT_EQ(one.key(one.add(again)), "suite/level/local/p repair of [1.1r1] attempt 1 sample 1");
  EXPECT_EQ(one.repairs(one.node(5)), 2);
}

TEST(SearchTree, WhatThisMachineStoodInTheWayOfIsForgotten) {
  SearchNode node;
  node.verdict = at_fault(Fault::candidate);
  node.confirmed = at_fault(Fault::machine);
  node.forget_fault_of_machine();
  EXPECT_TRUE(node.verdict);
  EXPECT_FALSE(node.confirmed) << "it may be judged once more";
  node.verdict = at_fault(Fault::problem);
  node.forget_fault_of_machine();
  EXPECT_TRUE(node.verdict);
  node.verdict = at_fault(Fault::machine);
  node.forget_fault_of_machine();
  EXPECT_FALSE(node.verdict);
}

// A recording is told in this order, and waits where one is missing.
TEST(SearchTree, WhatIsJudgedAgainFillsItsPlaceInTheOrder) {
  Tree tree("p");
  EXPECT_EQ(tree.next_order(), 1);
  for (int order : {2, 1}) {
    NodeVerdict& verdict = tree.add({}).verdict.emplace();
    verdict.order = order;
  }
  tree.node(1).confirmed = NodeVerdict{.order = 3};
  tree.add({}).verdict.emplace();  // nothing came: it is in no order
  EXPECT_EQ(tree.next_order(), 4);
  tree.node(2).verdict.reset();
  EXPECT_EQ(tree.next_order(), 1);
}

TEST(SearchTree, AVerdictIsReadAsItIsWritten) {
  NodeVerdict verdict = at_fault(Fault::machine);
  verdict.reached = "compiled";
  verdict.is_final = true;
  auto read = node_verdict_from_json(to_json(verdict));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(*read, verdict);
  // One that was written before these were there.
  Json older = to_json(faster_by(2));
  for (const char* name : {"fault", "reached", "is_final"}) older.erase(name);
  EXPECT_TRUE(node_verdict_from_json(older));
}

TEST(SearchTree, AFirstAnswerMayMendWhatTheSearchStartsFrom) {
  Tree tree("p");
  SearchNode from, first, repair;
  from.attempt = 0;
  first.step = repair.step = SearchStep::repair;
  first.parents = {1};
  repair.parents = {2};
  for (const SearchNode& node : {from, first, repair}) tree.add(node);
  EXPECT_FALSE(is_first_answer(tree, tree.node(1)));
  EXPECT_TRUE(is_first_answer(tree, tree.node(2)));
  EXPECT_FALSE(is_first_answer(tree, tree.node(3)));
}

}  // namespace
}  // namespace assay
