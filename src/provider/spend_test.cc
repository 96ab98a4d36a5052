#include "provider/spend.h"

#include <gtest/gtest.h>

#include <thread>

#include "fakes/fake_clock.h"
#include "fakes/memory_disk.h"
#include "fakes/user_folder.h"

namespace assay {
namespace {

using Grant = Spend::Grant;

TEST(SpendLimits, AreReadAndWritten) {
  auto limits = parse_spend("2M-tokens,5usd,30m");
  ASSERT_TRUE(limits) << limits.error().describe();
  EXPECT_EQ(*limits, (SpendLimits{2'000'000, 5.0, int64_t{1800} * 1'000'000'000}));
  EXPECT_EQ(exact_spend(*limits), "2M-tokens,5usd,30m");
  for (const char* text : {"500k-tokens", "1200-tokens", "0.5usd", "90s", "1h,1k-tokens"})
    EXPECT_EQ(*parse_spend(exact_spend(*parse_spend(text))), *parse_spend(text)) << text;
  EXPECT_EQ(parse_spend("2.5M-tokens")->tokens, 2'500'000);
}

TEST(SpendLimits, AnythingElseIsRefused) {
  for (const char* text : {"", ",", "2M", "5", "0-tokens", "-1usd", "1e400usd", "nanusd", "infusd",
                           "5usd,6usd", "1-tokens,2-tokens", "30m,1h", "5 usd", "usd", "-tokens",
                           "5usd,", "1e16-tokens", "0.2-tokens"})
    EXPECT_FALSE(parse_spend(text)) << text;
}

TEST(Spend, WhatIsUnderWayMayLeaveEnough) {
  Spend spend({.tokens = 100});
  EXPECT_EQ(spend.reserve({.tokens = 60}), Grant::granted);
  EXPECT_EQ(spend.reserve({.tokens = 60}), Grant::wait);
  EXPECT_EQ(spend.ended(), "");
  spend.settle({.tokens = 60}, {.tokens = 30});
  EXPECT_EQ(spend.reserve({.tokens = 60}), Grant::granted);
  spend.settle({.tokens = 60}, {.tokens = 50});
  EXPECT_EQ(spend.reserve({.tokens = 21}), Grant::over);
  EXPECT_EQ(spend.ended(), "80 of 100 tokens are spent, and one more call may take 21");
  EXPECT_EQ(spend.reserve({.tokens = 20}), Grant::granted);
}

TEST(Spend, DollarsAndTimeEndItToo) {
  Spend dollars({.usd = 1.0});
  EXPECT_EQ(dollars.reserve({.tokens = 1'000'000, .usd = 0.9}), Grant::granted);
  dollars.settle({.tokens = 1'000'000, .usd = 0.9}, {.usd = 0.9});
  EXPECT_EQ(dollars.reserve({.usd = 0.1}), Grant::granted);
  EXPECT_EQ(dollars.reserve({.usd = 0.2}), Grant::over);
  EXPECT_EQ(dollars.ended(), "0.9000 of 1 dollars are spent, and one more call may take 0.2000");

  FakeClock clock;
  Spend time({.wall_ns = 60'000'000'000}, {}, 50'000'000'000, clock);
  EXPECT_EQ(time.reserve({.tokens = 1}), Grant::granted);
  clock.ns += 10'000'000'000;
  EXPECT_EQ(time.reserve({.tokens = 1}), Grant::over);
  EXPECT_EQ(time.ended(), "the 1m of --spend are over");
  EXPECT_GE(time.wall_ns(), 60'000'000'000);
}

// What calls may have cost that were under way when the process before was killed stays spent.
TEST(Spend, GoesOnFromWhatWasSpent) {
  Spend spend({.tokens = 100}, {.tokens = 70});
  EXPECT_EQ(spend.reserve({.tokens = 31}), Grant::over);
  EXPECT_EQ(spend.reserve({.tokens = 30}), Grant::granted);
}

TEST(Spend, WaitsUntilEnoughIsLeft) {
  Spend spend({.tokens = 100});
  std::atomic<bool> stop{false};
  ASSERT_EQ(spend.wait_for({.tokens = 80}, stop), Grant::granted);
  Grant second = Grant::wait;
  std::thread waiting([&] { second = spend.wait_for({.tokens = 80}, stop); });
  spend.settle({.tokens = 80}, {.tokens = 20});
  waiting.join();
  EXPECT_EQ(second, Grant::granted);
  std::thread stopped([&] { second = spend.wait_for({.tokens = 80}, stop); });
  stop.store(true);
  stopped.join();
  EXPECT_EQ(second, Grant::wait);
}

class PricesTest : public testing::Test {
 protected:
  PricesTest() {
    disk_.files["share/2026-01-31.json"] = R"({"great-1": {"input_cost_per_token": 1}})";
    disk_.files["share/2026-11-26.json"] = R"({
      "great-1": {"input_cost_per_token": 4e-06, "output_cost_per_token": 2e-05,
                  "cache_read_input_token_cost": 2e-07, "cache_creation_input_token_cost": 5e-06},
      "small": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
      "picture": {"mode": "image_generation"}})";
  }
  Prices load() {
    auto prices = Prices::load(disk_, "share");
    EXPECT_TRUE(prices) << prices.error().describe();
    return *prices;
  }

  UserFolder user_;
  MemoryDisk disk_;
};

TEST_F(PricesTest, EachKindOfTokenHasItsOwn) {
  const Prices prices = load();
  const Usage usage{.input = 1'000'000,
                    .cached_input = 500'000,
                    .output = 100'000,
                    .reasoning = 50'000,
                    .written_input = 100'000};
  EXPECT_DOUBLE_EQ(*prices.cost("great-1", usage), 1.6 + 0.1 + 0.5 + 2.0);
  EXPECT_DOUBLE_EQ(*prices.cost("small", usage), 1.0 + 0.2);
  EXPECT_FALSE(prices.cost("unheard-of", usage));
  EXPECT_FALSE(prices.cost("picture", usage));
}

TEST_F(PricesTest, CallsThatSendMoreMayCostMore) {
  disk_.files[user_.path() + "/prices.json"] = R"({"long": {
      "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06,
      "input_cost_per_token_above_128k_tokens": 2e-06, "input_cost_per_token_above_200k_tokens": 3e-06,
      "output_cost_per_token_above_200k_tokens": 5e-06, "input_cost_per_token_above_many_tokens": 9,
      "output_cost_per_token_above_100k_tokens": "free"}})";
  const Prices prices = load();
  auto cost = [&](int64_t input) {
    return *prices.cost("long", {.input = input, .output = 1'000'000});
  };
  EXPECT_DOUBLE_EQ(cost(128'000), 0.128 + 2);
  EXPECT_DOUBLE_EQ(cost(128'001), 2 * 0.128001 + 2);
  EXPECT_DOUBLE_EQ(cost(300'000), 3 * 0.3 + 5);
  EXPECT_EQ(prices.snapshot("long")["prices"]["output_cost_per_token_above_200k_tokens"], 5e-06);
  EXPECT_EQ(prices.snapshot("long")["prices"].size(), 5);
}

TEST_F(PricesTest, AModelHasManyNames) {
  const Prices prices = load();
  const Usage usage{.input = 1'000'000};
  for (const char* name : {"maker/great-1", "Great-1", "great-1-20260131", "great-1-2026-01-31"})
    EXPECT_EQ(prices.cost(name, usage), 4.0) << name;
  EXPECT_FALSE(prices.cost("great-12", usage));
}

TEST_F(PricesTest, TheUsersOwnStandOver) {
  disk_.files[user_.path() + "/prices.json"] =
      R"({"small": {"input_cost_per_token": 0, "output_cost_per_token": 0}})";
  const Prices prices = load();
  EXPECT_EQ(prices.cost("small", {.input = 1000}), 0.0);
  EXPECT_EQ(prices.cost("great-1", {.input = 1'000'000}), 4.0);
  const Json snapshot = prices.snapshot("maker/great-1");
  EXPECT_EQ(snapshot["date"], "2026-11-26");
  EXPECT_EQ(snapshot["model"], "great-1");
  EXPECT_EQ(snapshot["prices"]["output_cost_per_token"], 2e-05);
  EXPECT_EQ(prices.snapshot("small")["file"], user_.path() + "/prices.json");
  EXPECT_TRUE(prices.snapshot("unheard-of")["prices"].is_null());
  disk_.files[user_.path() + "/prices.json"] = "[]";
  EXPECT_FALSE(Prices::load(disk_, "share"));
}

TEST_F(PricesTest, APriceThatIsNoneIsSaidOfWhoAsksForIt) {
  disk_.files[user_.path() + "/prices.json"] = R"({
      "drawing": {"output_cost_per_image": 1}, "half": {"input_cost_per_token": 1e-06},
      "text": {"input_cost_per_token": "1e-06", "output_cost_per_token": 0},
      "debt": {"input_cost_per_token": 1e-06, "output_cost_per_token": -1},
      "dear": {"input_cost_per_token": 1e300, "output_cost_per_token": 0}})";
  const Prices prices = load();
  for (const auto& [model, said] : {std::pair("drawing", ""),
                                    {"half", ""},
                                    {"maker/text", "input_cost_per_token"},
                                    {"debt", "output_cost_per_token"},
                                    {"dear", "input_cost_per_token"}}) {
    const Status priced = check_priced({.usd = 5.0}, model, prices);
    ASSERT_FALSE(priced) << model;
    EXPECT_TRUE(priced.error().message.contains(said)) << priced.error().message;
    EXPECT_EQ(priced.error().message.contains("is no price"), *said != 0) << model;
  }
}

TEST_F(PricesTest, DollarsAreNoLimitForWhatHasNoPrice) {
  const Prices prices = load();
  EXPECT_TRUE(check_priced({.usd = 5.0}, "small", prices));
  EXPECT_TRUE(check_priced({.tokens = 5}, "unheard-of", prices));
  EXPECT_FALSE(check_priced({.usd = 5.0}, "unheard-of", prices));
}

TEST_F(PricesTest, WhatACallCostsAtMostIsNoLessThanWhatItDoes) {
  const Prices prices = load();
  const Question question{.system = std::string(1000, 's'),
                          .prompt = std::string(3000, 'p'),
                          .parameters = {{"max_tokens", 500}}};
  const Cost most = most_of(question, "great-1", prices);
  EXPECT_EQ(most.tokens, 1000 + 16 + 3000 + 16 + 500);
  const Usage usage{.input = 2000, .output = 500, .written_input = 2000};
  const Answer answer{.usage = usage};
  const Cost cost = cost_of(answer, most, "great-1", prices);
  EXPECT_EQ(cost.tokens, 2500);
  EXPECT_LE(cost.usd, most.usd);
  const Cost twice = cost_of({.usage = usage, .of_unknown_cost = 1}, most, "great-1", prices);
  EXPECT_EQ(twice.tokens, 2500 + most.tokens);
  EXPECT_EQ(cost_of({}, most, "great-1", prices), Cost{});
}

}  // namespace
}  // namespace assay
