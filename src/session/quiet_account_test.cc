#include "session/quiet_account.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace assay {
namespace {

void until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::yield();
}

TEST(QuietAccount, OneIsLetInWhenAllThatIsAtWorkWaits) {
  QuietAccount account([] {});
  std::atomic<int> entered = 0, left = 0;
  auto measure = [&] {
    ASSERT_TRUE(account.enter());
    ++entered;
    until([&] { return left > 0; });
    --left;
    account.leave();
  };
  std::thread first(measure), second(measure);
  until([&] {
    account.serve(3);  // somebody else is still at work
    return account.waiting() == 2;
  });
  EXPECT_FALSE(account.is_taken());
  EXPECT_EQ(entered, 0);
  until([&] {
    account.serve(2);
    return entered == 1;
  });
  EXPECT_TRUE(account.is_taken());
  account.serve(2);
  EXPECT_EQ(entered, 1);
  left = 1;
  until([&] {
    account.serve(1);
    return entered == 2;
  });
  left = 1;
  first.join();
  second.join();
  EXPECT_TRUE(account.lets_start());
}

TEST(QuietAccount, NothingIsStartedFromTheFirstWhoHasTheMachineToTheLastWhoWaits) {
  QuietAccount account([] {});
  std::atomic<int> in = 0, out = 0;
  std::vector<std::thread> measuring;
  for (int n = 0; n < 3; ++n) {
    EXPECT_TRUE(account.lets_start()) << "who waits is not at work";
    measuring.emplace_back([&] {
      ASSERT_TRUE(account.enter());
      const int number = ++in;
      until([&] { return out >= number; });
      account.leave();
    });
    until([&] { return account.waiting() == static_cast<size_t>(n) + 1; });
  }
  for (size_t left = 3; left > 0; --left) {
    account.serve(left);
    until([&] { return account.waiting() == left - 1; });
    EXPECT_TRUE(account.is_taken());
    EXPECT_FALSE(account.lets_start());
    ++out;
    until([&] { return !account.is_taken(); });
    EXPECT_EQ(account.lets_start(), left == 1);
  }
  for (std::thread& each : measuring) each.join();
}

TEST(QuietAccount, NoMoreThanSoManyWait) {
  QuietAccount account([] {});
  std::vector<std::thread> measuring;
  for (size_t n = 1; n <= QuietAccount::kMostWaiting; ++n) {
    EXPECT_TRUE(account.lets_start());
    measuring.emplace_back([&] { EXPECT_FALSE(account.enter()); });
    until([&] { return account.waiting() == n; });
  }
  EXPECT_FALSE(account.lets_start());
  account.interrupt();
  for (std::thread& each : measuring) each.join();
}

TEST(QuietAccount, WaitingForAnotherAssayIsToldOnceItTakesLong) {
  const std::string name = "assay-test-" + std::to_string(::getpid());
  std::optional<TimingLock> others;
  {
    auto taken = TimingLock::take(name, [] { return Status{}; });
    ASSERT_TRUE(taken);
    others = std::move(*taken);
  }
  std::atomic<int> woken = 0;
  QuietAccount account([&] { ++woken; }, name);
  std::thread waiting([&] { EXPECT_TRUE(account.take_machine()); });
  until([&] { return woken > 0; });
  EXPECT_TRUE(account.has_waited_for_others());
  others.reset();
  waiting.join();
  EXPECT_TRUE(account.take_machine());  // at once
  EXPECT_EQ(woken, 1);
}

TEST(QuietAccount, WhoWaitsForAnotherAssayFailsWhenTheUserInterrupts) {
  const std::string name = "assay-test-" + std::to_string(::getpid());
  auto others = TimingLock::take(name, [] { return Status{}; });
  ASSERT_TRUE(others);
  QuietAccount account([] {}, name);
  account.interrupt();
  auto taken = account.take_machine();
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::interrupted);
}

TEST(QuietAccount, WhoWaitsFailsWhenTheUserInterrupts) {
  QuietAccount account([] {});
  Status entered;
  std::thread waiting([&] { entered = account.enter(); });
  until([&] { return account.waiting() == 1; });
  account.interrupt();
  waiting.join();
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().code, Code::interrupted);
  EXPECT_FALSE(account.enter());
}

}  // namespace
}  // namespace assay
