#include "report/search_now.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

SearchNode judged(Verdict verdict) {
  SearchNode node;
  node.verdict = NodeVerdict{.verdict = verdict};
  return node;
}

// Two problems of four answers each: one has two that are judged and one that is asked.
SearchRecord half_done() {
  SearchRecord record;
  record.trees.emplace_back("suite/level/local/first/small");
  record.trees.back().add(judged(Verdict::failed));
  record.trees.back().add(judged(Verdict::rejected));
  record.trees.back().add({});
  record.trees.emplace_back("suite/level/local/second/small");
  record.wall_ns = 10'000'000'000;
  record.kept_s = 1000;
  record.asked = {{"searches", 2},
                  {"answers", 4},
                  {"spend", {{"tokens", 1000}, {"usd", nullptr}, {"s", 3600}}}};
  record.calls = {{.problem = "", .reserved_tokens = 500, .is_settled = true, .tokens = 110},
                  {.problem = "", .reserved_tokens = 300}};
  return record;
}

TEST(SearchNow, WhatIsRepairedHasNotFailed) {
  SearchRecord record = half_done();
  EXPECT_EQ(status_in(record, record.trees.front()), SearchStatus::failed);
  record.is_at_work = true;
  EXPECT_EQ(status_in(record, record.trees.front()), SearchStatus::at_work);
  record.ended[record.trees.front().problem()] = "all attempts are made";
  EXPECT_EQ(status_in(record, record.trees.front()), SearchStatus::failed);
}

TEST(SearchNow, TimeGoesOnWhileAModelThinks) {
  SearchRecord record = half_done();
  EXPECT_EQ(wall_ns_at(record, 1010), 10'000'000'000);
  record.is_at_work = true;
  EXPECT_EQ(wall_ns_at(record, 1010), 20'000'000'000);
  // Two took 20 s, and six may come.
  EXPECT_EQ(seconds_left(record, 1010), 60);
  record.asked["spend"]["s"] = 50;
  EXPECT_EQ(seconds_left(record, 1010), 30);
  record.asked["spend"]["s"] = 21.5;
  EXPECT_EQ(seconds_left(record, 1010), 1);
  record.asked["spend"]["s"] = 1e300;
  EXPECT_EQ(seconds_left(record, 1010), 60);
  record.ended[record.trees.front().problem()] = "the goal is reached";
  record.asked["spend"]["s"] = nullptr;
  EXPECT_EQ(seconds_left(record, 1010), 40);
}

// The run has answers to a problem that the command which goes on does not name.
TEST(SearchNow, WhatIsNotAskedForIsNotAtWork) {
  SearchRecord record = half_done();
  record.is_at_work = true;
  record.asked["searches"] = 1;
  record.asked["spend"] = nullptr;
  record.ended[record.trees.front().problem()] = "";
  EXPECT_EQ(status_in(record, record.trees.front()), SearchStatus::failed);
  EXPECT_EQ(status_in(record, record.trees.back()), SearchStatus::at_work);
  // Two took 10 s, and four may come.
  EXPECT_EQ(seconds_left(record, 1000), 20);
}

TEST(SearchNow, SaysWhatIsLeftOfSpend) {
  SearchRecord record = half_done();
  EXPECT_EQ(spend_left_json(record, 1000), (Json{{"tokens", 590}, {"usd", nullptr}, {"s", 3590}}));
  EXPECT_EQ(spend_left_in_words(record, 1000), ", of --spend 590 tokens, 59m 50s are left");
  record.asked = Json();
  EXPECT_EQ(spend_left_in_words(record, 1000), "");
}

}  // namespace
}  // namespace assay
