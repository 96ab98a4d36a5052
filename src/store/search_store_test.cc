#include "store/search_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "base/disk.h"

namespace assay {
namespace {

class SearchStoreTest : public testing::Test {
 protected:
  SearchStoreTest() {
    folder_ = testing::TempDir() + "search_store_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    auto opened = Database::open(folder_ + "/run.sqlite", Database::Access::read_write);
    EXPECT_TRUE(opened);
    database_ = std::move(*opened);
    EXPECT_TRUE(store_.create());
  }
  ~SearchStoreTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  Database database_;
  SearchStore store_{database_};
};

SearchNode node_of(const std::string& problem, int number) {
  SearchNode node;
  node.problem = problem;
  node.number = number;
  node.step = SearchStep::repair;
  node.parents = {1, 2};
  node.attempt = 2;
  node.sample = 3;
  node.model = "command:./model";
  node.system = "rules";
  node.prompt = "write \"it\"\n\xc3\xa9";
  return node;
}

TEST_F(SearchStoreTest, KeepsANodeAsItGrows) {
  SearchNode node = node_of("p", 1);
  auto call = store_.put_asked(node, {"p", 1, 1000, 0.1});
  ASSERT_TRUE(call);
  EXPECT_EQ(store_.nodes().value(), std::vector{node});
  EXPECT_FALSE(store_.calls().value()[0].is_settled);

  node.answer = NodeAnswer{
      .end = AnswerEnd::truncated,
      .text = "```c\nint a;\n",
      .why = "the limit",
      .model = "m-1",
      .left_out = "temperature",
      .usage =
          Usage{.input = 12, .cached_input = 4, .output = 5, .reasoning = 1, .written_input = 2},
      .cost_usd = 0.1 + 0.2,
      .code_hash = "abc",
      .calls = 2,
      .wall_ns = 77,
      .finished = "2026-01-01T00:00:00Z"};
  ASSERT_TRUE(store_.put_answer(node, *call, {"p", 1, 1000, 0.1, true, 17, 0.1 + 0.2}));
  node.verdict = NodeVerdict{.attempt = "p__s1",
                             .verdict = Verdict::accepted,
                             .reason = "noise",
                             .outcome = Outcome::undecided,
                             .ratio = 1.1,
                             .low = 0.9,
                             .high = 1.3,
                             .time_ns = 1e6,
                             .of_bound = 0.25,
                             .labels = {"library"},
                             .same_as = 4,
                             .feedback_kind = "slow",
                             .feedback = "faster, please"};
  ASSERT_TRUE(store_.put_verdict(node));
  node.confirmed = NodeVerdict{.verdict = Verdict::rejected, .reason = "value"};
  ASSERT_TRUE(store_.put_confirmed(node));
  EXPECT_EQ(store_.nodes().value(), std::vector{node});
  auto calls = store_.calls().value();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_TRUE(calls[0].is_settled);
  EXPECT_EQ(calls[0].tokens, 17);
  EXPECT_EQ(calls[0].usd, 0.1 + 0.2) << "money is read as it was written";
}

TEST_F(SearchStoreTest, CallsThatWereCutOffStaySpent) {
  ASSERT_TRUE(store_.put_asked(node_of("p", 1), {"p", 1, 1000, 0.5}));
  auto again = store_.put_call({"p", 1, 1000, 0.5});
  ASSERT_TRUE(again);
  auto calls = store_.calls().value();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].reserved_usd, 0.5);
  EXPECT_FALSE(calls[0].is_settled);
}

// One that is made again may cost as much once more, also where it is cut off then.
TEST_F(SearchStoreTest, CallsHoldMoreWhereTheyAreMadeAgain) {
  auto call = store_.put_asked(node_of("p", 1), {"p", 1, 1000, 0.5});
  ASSERT_TRUE(call);
  ASSERT_TRUE(store_.put_reserved(*call, {"p", 1, 2000, 1.0}));
  auto calls = store_.calls().value();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].reserved_tokens, 2000);
  EXPECT_EQ(calls[0].reserved_usd, 1.0);
}

TEST_F(SearchStoreTest, WhatDidNotComeIsAskedForAgain) {
  SearchNode node = node_of("p", 1);
  auto call = store_.put_asked(node, {"p", 1, 1000});
  ASSERT_TRUE(call);
  node.answer = NodeAnswer{.end = AnswerEnd::failed, .why = "it is down"};
  ASSERT_TRUE(store_.put_answer(node, *call, {"p", 1, 1000, {}, true, 0}));
  EXPECT_EQ(store_.nodes().value()[0].answer->why, "it is down");
  // An older assay kept a verdict of such an answer.
  node.verdict = node.confirmed = NodeVerdict{.verdict = Verdict::not_judged};
  ASSERT_TRUE(store_.put_verdict(node) && store_.put_confirmed(node));
  ASSERT_TRUE(store_.put_call({"p", 1, 1000}));
  EXPECT_FALSE(store_.nodes().value()[0].answer);
  EXPECT_FALSE(store_.nodes().value()[0].verdict) << "no node has a verdict without an answer";
  EXPECT_FALSE(store_.nodes().value()[0].confirmed);
  EXPECT_EQ(store_.calls().value().size(), 2u);
}

TEST_F(SearchStoreTest, WhatWasTooLongIsAskedInOtherWords) {
  SearchNode node = node_of("p", 1);
  auto call = store_.put_asked(node, {"p", 1, 1000});
  ASSERT_TRUE(call);
  node.prompt = "write";
  node.shortened = "without the code of answer 2";
  ASSERT_TRUE(store_.put_asked_again(node, *call, {"p", 1, 1000, {}, true, 7}, {"p", 1, 500}));
  EXPECT_EQ(store_.nodes().value(), std::vector{node});
  auto calls = store_.calls().value();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].tokens, 7);
  EXPECT_FALSE(calls[1].is_settled);
}

// Somebody has written into the run's file.
TEST_F(SearchStoreTest, WhatNobodyWasAskedForIsOneOfTheSearches) {
  ASSERT_TRUE(store_.create());
  ASSERT_TRUE(store_.put_terms(
      {{kPlaces, to_json(SearchPlaces{{"s/_/local/a/gpt", {}}, {"s/_/local/c/gpt", {}}})}}));
  SearchNode asked = node_of("s/_/local/b/gpt", 1);
  asked.step = SearchStep::draft;
  asked.parents = {};
  ASSERT_TRUE(store_.put_asked(asked, {asked.problem, 1}));
  auto record = store_.record();
  ASSERT_TRUE(record) << record.error().describe();
  std::vector<std::string> ids;
  for (const Tree& tree : record->trees) ids.push_back(tree.problem());
  EXPECT_EQ(ids,
            (std::vector<std::string>{"s/_/local/a/gpt", "s/_/local/b/gpt", "s/_/local/c/gpt"}));
}

TEST_F(SearchStoreTest, TermsOfAnotherTypeAreAsIfUnsaid) {
  for (
      const char* text :
      {R"({"search":5,"attempts":"x","goal":[],"is_timed":1,"allow":"library","lang":{},"wall_ns":"",
            "kept_s":null,"ended":["p"],"asked":7})",
       R"(["a list"])", "7", "null"}) {
    SCOPED_TRACE(text);
    ASSERT_TRUE(store_.put_terms(Json::parse(text)));
    auto record = store_.record();
    ASSERT_TRUE(record) << record.error().describe();
    EXPECT_EQ(to_json(record->terms), to_json(SearchTerms()));
    EXPECT_EQ(record->language, "");
    EXPECT_EQ(record->wall_ns, 0);
    EXPECT_TRUE(record->ended.empty());
  }
  ASSERT_TRUE(store_.put_terms(
      {{"allow", {"library", 7}}, {kEnded, {{"p", "the goal is reached"}, {"q", 7}}}}));
  auto record = store_.record();
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(record->terms.allowed, std::vector<std::string>{"library"});
  EXPECT_EQ(record->ended, (std::map<std::string, std::string>{{"p", "the goal is reached"}}));
}

// Somebody has written into the run's file: nobody goes to a node that is not there, or round and
// round.
TEST_F(SearchStoreTest, NodesThatNameWhatIsNotThereAreAnError) {
  const std::pair<const char*, std::function<void(SearchNode&)>> flaws[] = {
      {"", [](SearchNode&) {}},
      {"it goes on from none before it", [](SearchNode& node) { node.parents = {7}; }},
      {"it goes on from none before it", [](SearchNode& node) { node.parents = {0}; }},
      {"it goes on from none before it", [](SearchNode& node) { node.parents = {1, 3}; }},
      {"it goes on from none", [](SearchNode& node) { node.parents = {}; }},
      {"no search makes such an attempt", [](SearchNode& node) { node.attempt = 2'000'000'000; }},
      {"no search makes such an attempt", [](SearchNode& node) { node.attempt = -1; }},
      {"one before it is missing", [](SearchNode& node) { node.number = 4; }},
      {"that is not there", [](SearchNode& node) { node.verdict = NodeVerdict{.same_as = 4}; }},
      {"that is not there", [](SearchNode& node) { node.verdict = NodeVerdict{.same_as = -1}; }},
      {"and was not judged", [](SearchNode& node) { node.confirmed = NodeVerdict{}; }},
  };
  for (size_t i = 0; i < std::size(flaws); ++i) {
    const auto& [why, spoil] = flaws[i];
    SCOPED_TRACE(i);
    ASSERT_TRUE(database_.execute("DELETE FROM node"));
    SearchNode first = node_of("p", 1);
    first.step = SearchStep::draft;
    first.parents = {};
    SearchNode last = node_of("p", 3);
    spoil(last);
    for (const SearchNode& node : {first, node_of("p", 2), last}) {
      SearchNode asked = node;
      if (node.number == 2) asked.parents = {1};
      ASSERT_TRUE(store_.put_asked(asked, {"p", node.number}));
      if (node.verdict) ASSERT_TRUE(store_.put_verdict(node));
      if (node.confirmed) ASSERT_TRUE(store_.put_confirmed(node));
    }
    const auto record = store_.record();
    EXPECT_EQ(record.has_value(), *why == '\0');
    if (!record) EXPECT_TRUE(record.error().describe().contains(why)) << record.error().describe();
  }
}

TEST_F(SearchStoreTest, OneNodeIsAskedOnce) {
  ASSERT_TRUE(store_.put_asked(node_of("p", 1), {"p", 1}));
  EXPECT_FALSE(store_.put_asked(node_of("p", 1), {"p", 1}));
  EXPECT_EQ(store_.calls().value().size(), 1u) << "the call goes with its node";
}

}  // namespace
}  // namespace assay
