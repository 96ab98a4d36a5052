#include "search/strategy.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/rows.h"

namespace assay {
namespace {

NodeVerdict wrong() { return {.verdict = Verdict::rejected, .feedback = "wrong"}; }
NodeVerdict broken() {
  return {.verdict = Verdict::failed, .feedback_kind = "compile error", .feedback = "broken"};
}
NodeVerdict timed(double ratio, Outcome outcome = Outcome::slower) {
  return {.verdict = Verdict::accepted,
          .outcome = outcome,
          .ratio = ratio,
          .low = ratio - 0.02,
          .high = ratio + 0.02};
}

// Answers all that is asked with what `verdict_of` says, and tells what was asked, in order:
// "draft 1.1", "repair 2.1 of 3".
struct Played {
  Tree tree{"suite/level/local/problem"};
  std::vector<std::string> asked;
  std::vector<int> confirmed;
  std::string end;
};
Played play(const std::string& name, const SearchTerms& terms,
            const std::function<NodeVerdict(const SearchNode&)>& verdict_of) {
  Played played;
  const Strategy* strategy = find_row(strategies(), name);
  EXPECT_NE(strategy, nullptr) << name;
  for (int turn = 0; turn < 1000 && strategy; ++turn) {
    Move move = next_move(played.tree, *strategy, terms);
    if (!move.end.empty()) {
      played.end = move.end;
      return played;
    }
    if (move.confirm != 0) {
      played.confirmed.push_back(move.confirm);
      SearchNode& node = played.tree.node(move.confirm);
      node.confirmed = node.verdict;
      continue;
    }
    EXPECT_FALSE(move.asks.empty()) << "it waits for nothing";
    for (const Ask& ask : move.asks) {
      std::string text = std::string(to_word(kSearchStepWords, ask.step)) + " " +
                         std::to_string(ask.attempt) + "." + std::to_string(ask.sample);
      for (int parent : ask.parents) text += " of " + std::to_string(parent);
      played.asked.push_back(text);
      SearchNode node;
      node.step = ask.step;
      node.parents = ask.parents;
      node.attempt = ask.attempt;
      node.sample = ask.sample;
      played.tree.add(node);
    }
    for (const SearchNode& each : played.tree.nodes())
      if (!each.verdict) played.tree.node(each.number).verdict = verdict_of(each);
  }
  ADD_FAILURE() << "it never ends";
  return played;
}

using Texts = std::vector<std::string>;

TEST(Reflect, RepairsWhatIsWrongAndMakesFasterWhatIsRight) {
  auto played = play("reflect", {.samples = 2}, [](const SearchNode& node) {
    return node.number == 1 ? broken() : node.attempt == 1 ? wrong() : timed(0.5);
  });
  // The second came further than the first, which does not build.
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "draft 1.2", "repair 2.1 of 2", "repair 2.2 of 2",
                                 "optimise 3.1 of 3", "optimise 3.2 of 3"}));
  EXPECT_EQ(played.confirmed, std::vector<int>{3}) << "the best one, at the end";
  EXPECT_EQ(played.end, "all attempts are made");
}

TEST(Reflect, StopsAtTheGoalOnceItIsConfirmed) {
  auto played = play("reflect", {.samples = 2}, [](const SearchNode& node) {
    return timed(node.number == 2 ? 1.3 : 0.9,
                 node.number == 2 ? Outcome::faster : Outcome::slower);
  });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "draft 1.2"}));
  EXPECT_EQ(played.confirmed, std::vector<int>{2});
  EXPECT_EQ(played.end, "the goal is reached");
}

TEST(Reflect, GoesOnWhereTheGoalIsNotConfirmed) {
  const Strategy& reflect = *find_row(strategies(), "reflect");
  const SearchTerms terms{.attempts = 2, .samples = 1};
  Tree tree("p");
  tree.add({}).verdict = timed(1.3, Outcome::faster);
  EXPECT_EQ(next_move(tree, reflect, terms).confirm, 1);
  EXPECT_TRUE(next_move(tree, reflect, terms, {.is_confirming = true}).asks.empty())
      << "it is being confirmed";
  tree.node(1).confirmed = timed(0.98);
  Move move = next_move(tree, reflect, terms);
  ASSERT_EQ(move.asks.size(), 1u);
  EXPECT_EQ(move.asks[0].step, SearchStep::optimise);
}

// What waits for its turn when the goal is reached is never bought.
TEST(Reflect, NothingIsAskedOnceTheGoalIsReached) {
  const Strategy& reflect = *find_row(strategies(), "reflect");
  const SearchTerms terms{.attempts = 1, .samples = 3};
  Tree tree("p");
  for (const int sample : {1, 2, 3}) tree.add({}).sample = sample;
  EXPECT_TRUE(next_move(tree, reflect, terms, {.waiting = 2}).asks_on);
  EXPECT_FALSE(next_move(tree, reflect, terms).asks_on) << "all are asked";
  tree.node(1).verdict = timed(1.3, Outcome::faster);
  EXPECT_EQ(next_move(tree, reflect, terms, {.waiting = 2}).confirm, 1);
  EXPECT_FALSE(next_move(tree, reflect, terms, {.is_confirming = true, .waiting = 2}).asks_on);
  tree.node(1).confirmed = timed(1.2, Outcome::faster);
  EXPECT_EQ(next_move(tree, reflect, terms, {.waiting = 2}).end, "the goal is reached");
  EXPECT_EQ(next_move(tree, reflect, terms, {.waiting = 1}).end, "") << "one is under way";
  tree.node(1).confirmed = timed(0.9);
  EXPECT_TRUE(next_move(tree, reflect, terms, {.waiting = 2}).asks_on) << "it was luck";
}

TEST(Reflect, WhatALibraryComputesReachesNothing) {
  auto played = play("reflect", {.attempts = 2, .samples = 1}, [](const SearchNode&) {
    NodeVerdict verdict = timed(1.5, Outcome::faster);
    verdict.labels = {"library"};
    return verdict;
  });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "repair 2.1 of 1"}));
  EXPECT_TRUE(played.confirmed.empty());

  SearchTerms allowing{.attempts = 2, .samples = 1};
  allowing.allowed = {"library"};
  auto allowed = play("reflect", allowing, [](const SearchNode&) {
    NodeVerdict verdict = timed(1.5, Outcome::faster);
    verdict.labels = {"library"};
    return verdict;
  });
  EXPECT_EQ(allowed.end, "the goal is reached");
}

TEST(Reflect, AGoalAboveOneTakesTheLowerEnd) {
  const auto at_1_21 = [](const SearchNode&) { return timed(1.21, Outcome::faster); };
  EXPECT_EQ(play("reflect", {.attempts = 1, .goal = 1.2}, at_1_21).end, "all attempts are made")
      << "its interval begins below";
  EXPECT_EQ(play("reflect", {.attempts = 1, .goal = 1.15}, at_1_21).end, "the goal is reached");
}

TEST(Reflect, StopsNearWhatTheMachineCanDo) {
  auto played = play("reflect", {.samples = 1, .goal = 3}, [](const SearchNode&) {
    NodeVerdict verdict = timed(1.1, Outcome::faster);
    verdict.of_bound = 0.96;
    return verdict;
  });
  EXPECT_EQ(played.asked.size(), 1u);
  EXPECT_EQ(played.confirmed.size(), 1u) << "it is judged once more before anybody relies on it";
  EXPECT_EQ(played.end, "it is within 5 % of what this machine can do at most");
}

TEST(Reflect, JudgesOnceMoreWhoLooksBestBesideWhoReachedTheGoal) {
  const Strategy& reflect = *find_row(strategies(), "reflect");
  const SearchTerms terms{.attempts = 1, .samples = 2};
  Tree tree("p");
  tree.add({}).verdict = timed(6.5, Outcome::faster);
  tree.node(1).confirmed = timed(5.6, Outcome::faster);
  SearchNode second;
  second.sample = 2;
  tree.add(second);
  EXPECT_EQ(next_move(tree, reflect, terms).end, "") << "one is still to be judged";
  tree.node(2).verdict = timed(6.7, Outcome::faster);
  EXPECT_EQ(next_move(tree, reflect, terms).confirm, 2);
  tree.node(2).confirmed = timed(5.5, Outcome::faster);
  EXPECT_EQ(next_move(tree, reflect, terms).end, "the goal is reached");
}

TEST(Reflect, EndsWithTheFirstThatCompilesWhereNothingCanRun) {
  const SearchTerms terms{.samples = 1, .goal = 2};
  auto played = play("reflect", terms, [](const SearchNode& node) {
    if (node.attempt == 1) return wrong();
    // First one that Triton's interpreter could not look at.
    return NodeVerdict{.verdict = Verdict::compiled, .is_final = node.attempt == 3};
  });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "repair 2.1 of 1", "optimise 3.1 of 2"}));
  EXPECT_TRUE(played.confirmed.empty());
  EXPECT_EQ(played.end, "one compiles, and the target cannot run here");
}

TEST(Strategies, EndWhereTheFaultIsNotTheAnswers) {
  for (const Strategy& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    auto played =
        play(std::string(strategy.name), {.samples = 1, .drafts = 1}, [](const SearchNode&) {
          NodeVerdict verdict = broken();
          verdict.fault = Fault::problem;
          verdict.feedback = "The problem itself breaks.\nMore of it.";
          return verdict;
        });
    EXPECT_EQ(played.asked.size(), 1u);
    EXPECT_EQ(played.end, "The problem itself breaks.");
  }
}

// Of a kernel that the search starts from all first answers are told.
TEST(Strategies, BeginWithWhatTheyStartFrom) {
  for (const Strategy& strategy : strategies()) {
    for (bool is_right : {true, false}) {
      SCOPED_TRACE(std::string(strategy.name) + (is_right ? " right" : " wrong"));
      const SearchTerms terms{.attempts = 1, .samples = 2, .drafts = 2, .repairs = 1, .rounds = 1};
      Tree tree("p");
      SearchNode from;
      from.attempt = 0;
      tree.add(from);
      EXPECT_TRUE(next_move(tree, strategy, terms).asks.empty()) << "it is being judged";
      tree.node(1).verdict = is_right ? timed(0.5) : wrong();
      const auto asks = next_move(tree, strategy, terms).asks;
      ASSERT_EQ(asks.size(), 2u);
      for (const Ask& ask : asks) {
        EXPECT_EQ(ask.step, is_right ? SearchStep::optimise : SearchStep::repair);
        EXPECT_EQ(ask.parents, std::vector{1});
        EXPECT_EQ(ask.attempt, 1);
        SearchNode& node = tree.add({});
        node.step = ask.step;
        node.parents = ask.parents;
        node.sample = ask.sample;
        node.verdict = wrong();
      }
      const Move next = next_move(tree, strategy, terms);
      if (strategy.name != "beam") continue;
      ASSERT_EQ(next.asks.size(), 2u) << "each is repaired, once";
      EXPECT_EQ(next.asks[0].parents, std::vector{2});
      EXPECT_EQ(next.asks[1].parents, std::vector{3});
    }
  }
}

TEST(Reflect, WhatIsOnlyVerifiedEndsWithTheFirstThatIsRight) {
  auto played = play("reflect", {.samples = 1, .is_timed = false}, [](const SearchNode& node) {
    return node.attempt < 2 ? wrong() : NodeVerdict{.verdict = Verdict::accepted};
  });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "repair 2.1 of 1"}));
  EXPECT_TRUE(played.confirmed.empty());
}

TEST(BestOf, AsksOnceForAll) {
  auto played = play("best-of", {.samples = 3}, [](const SearchNode&) { return wrong(); });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "draft 1.2", "draft 1.3"}));
}

TEST(Beam, RepairsEachDraftAndGoesOnFromTheBest) {
  const SearchTerms terms{.drafts = 3, .repairs = 1, .width = 2, .rounds = 1};
  auto played = play("beam", terms, [](const SearchNode& node) {
    if (node.step == SearchStep::repair) return timed(0.6);
    if (node.attempt == 2) return timed(0.7);
    return node.sample == 1 ? timed(0.5) : node.sample == 2 ? timed(0.8) : broken();
  });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "draft 1.2", "draft 1.3", "repair 1.3 of 3",
                                 "optimise 2.1 of 2", "optimise 2.2 of 4", "optimise 2.3 of 2"}));
  EXPECT_EQ(played.confirmed, std::vector<int>{2});
}

TEST(Beam, NothingIsMadeFasterWhereNothingIsRight) {
  const SearchTerms terms{.drafts = 2, .repairs = 2, .width = 2, .rounds = 3};
  auto played = play("beam", terms, [](const SearchNode&) { return wrong(); });
  EXPECT_EQ(played.asked, (Texts{"draft 1.1", "draft 1.2", "repair 1.1 of 1", "repair 1.2 of 2",
                                 "repair 1.1 of 3", "repair 1.2 of 4"}));
}

// A search that is ended at any moment goes on as it would have: a strategy reads the tree alone.
TEST(Strategies, AskTheSameOfATreeThatIsHalfGrown) {
  for (const Strategy& strategy : strategies()) {
    const SearchTerms terms{.samples = 2, .drafts = 3, .repairs = 2, .width = 2, .rounds = 2};
    auto verdict = [](const SearchNode& node) {
      return node.number % 3 == 0 ? broken() : node.number % 2 == 0 ? wrong() : timed(0.5);
    };
    Played whole = play(std::string(strategy.name), terms, verdict);
    for (size_t kept = 0; kept < whole.tree.nodes().size(); ++kept) {
      Tree half("p");
      for (size_t i = 0; i < kept; ++i) {
        SearchNode node = whole.tree.nodes()[i];
        node.confirmed.reset();
        half.add(node);
      }
      Move move = next_move(half, strategy, terms);
      ASSERT_FALSE(move.asks.empty()) << strategy.name << " with " << kept;
      const SearchNode& next = whole.tree.nodes()[kept];
      EXPECT_TRUE(std::ranges::any_of(move.asks,
                                      [&](const Ask& ask) {
                                        return ask.step == next.step &&
                                               ask.parents == next.parents &&
                                               ask.attempt == next.attempt &&
                                               ask.sample == next.sample;
                                      }))
          << strategy.name << " with " << kept;
    }
  }
}

}  // namespace
}  // namespace assay
