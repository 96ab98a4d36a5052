#include "store/search_store.h"

#include <gtest/gtest.h>

#include <filesystem>

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

TEST_F(SearchStoreTest, OneNodeIsAskedOnce) {
  ASSERT_TRUE(store_.put_asked(node_of("p", 1), {"p", 1}));
  EXPECT_FALSE(store_.put_asked(node_of("p", 1), {"p", 1}));
  EXPECT_EQ(store_.calls().value().size(), 1u) << "the call goes with its node";
}

}  // namespace
}  // namespace assay
