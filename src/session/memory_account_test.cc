#include "session/memory_account.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>

#include "fakes/session_fixture.h"

namespace assay {
namespace {

constexpr uint64_t kGb = 1'000'000'000;

// A machine of 10 GB, of which 1 GB is kept free; enter() answers from a thread as in a run.
class MemoryAccountTest : public testing::Test {
 protected:
  std::future<Result<uint64_t>> enter(uint64_t bytes) {
    size_t before = woken_;
    auto answer = std::async(std::launch::async, [this, bytes] { return account_.enter(bytes); });
    while (woken_ == before) std::this_thread::yield();
    return answer;
  }
  bool waits(std::future<Result<uint64_t>>& answer) {
    account_.serve(false);
    return answer.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout;
  }

  std::atomic<size_t> woken_ = 0;
  FakeMemory memory_;
  FakeClock clock_;
  MemoryAccount account_{memory_, clock_, [this] { ++woken_; }};
};

TEST_F(MemoryAccountTest, WhatFitsIsLetIn) {
  auto answer = enter(3 * kGb);
  EXPECT_FALSE(waits(answer));
  EXPECT_EQ(*answer.get(), 3 * kGb);
}

TEST_F(MemoryAccountTest, WhatTheMachineNeverHasIsTurnedAwayAtOnce) {
  auto answer = enter(11 * kGb);
  EXPECT_FALSE(waits(answer));
  EXPECT_EQ(*answer.get(), 9 * kGb) << "a tenth stays free";
}

// The first has taken nothing yet, as far as the machine shows.
TEST_F(MemoryAccountTest, WhatFitsBesideNothingElseWaitsUntilOthersLeave) {
  auto first = enter(5 * kGb);
  EXPECT_FALSE(waits(first));
  auto second = enter(5 * kGb);
  EXPECT_TRUE(waits(second));
  EXPECT_TRUE(account_.somebody_waits());
  clock_.ns += MemoryAccount::kYoungNs + 1;
  EXPECT_TRUE(waits(second)) << "what was granted counts for as long as it is not given back";
  account_.leave(5 * kGb);
  EXPECT_FALSE(waits(second));
  EXPECT_FALSE(account_.somebody_waits());
}

TEST_F(MemoryAccountTest, NobodyOvertakes) {
  auto first = enter(5 * kGb);
  EXPECT_FALSE(waits(first));
  auto large = enter(6 * kGb);
  auto small = enter(1 * kGb);
  EXPECT_TRUE(waits(large));
  EXPECT_TRUE(waits(small));
  account_.leave(5 * kGb);
  EXPECT_FALSE(waits(large));
  EXPECT_FALSE(waits(small));
}

TEST_F(MemoryAccountTest, WhatOthersHoldIsWaitedForAndThenGivenUp) {
  memory_.available = [] { return 4 * kGb; };
  auto answer = enter(5 * kGb);
  EXPECT_TRUE(waits(answer));
  clock_.ns += MemoryAccount::kPatienceNs;
  EXPECT_FALSE(waits(answer));
  EXPECT_EQ(*answer.get(), 3 * kGb) << "what there is, beside what is kept free";
}

TEST_F(MemoryAccountTest, WhatOurOwnCompilesHoldIsWaitedFor) {
  memory_.available = [] { return 4 * kGb; };
  auto answer = enter(5 * kGb);
  clock_.ns += 2 * MemoryAccount::kPatienceNs;
  account_.serve(true);
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  memory_.available = [] { return 9 * kGb; };
  EXPECT_FALSE(waits(answer));
}

TEST_F(MemoryAccountTest, AnInterruptEndsTheWait) {
  memory_.available = [] { return 4 * kGb; };
  auto answer = enter(5 * kGb);
  EXPECT_TRUE(waits(answer));
  account_.interrupt();
  auto ended = answer.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::interrupted);
  auto late = enter(1);
  EXPECT_FALSE(late.get());
}

}  // namespace
}  // namespace assay
