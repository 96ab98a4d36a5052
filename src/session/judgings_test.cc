#include "session/judgings.h"

#include <map>
#include <new>

#include "base/clock.h"
#include "base/disk.h"
#include "base/memory_gauge.h"
#include "fakes/fake_spawner.h"
#include "fakes/verification.h"
#include "session/task.h"

namespace assay {
namespace {

class JudgingsTest : public VerificationTest {
 protected:
  // The loop of a session, for a moment.
  void serve(Judgings<Task>& judgings) {
    judgings.serve(0);
    auto event = spawner_->next(kSecond / 20);
    ASSERT_TRUE(event) << event.error().describe();
    judgings.deliver(*event);
  }

  JudgingJob job(const std::string& candidate) {
    job_.problem = "is sound";
    job_.candidate = candidate;
    return {job_};
  }

  SystemMemory memory_{system_disk()};
};

TEST_F(JudgingsTest, SeveralRunSideBySideAndEachEndsWithItsOwnFinding) {
  Judgings<Task> judgings(*spawner_, memory_, system_clock(), libraries_);
  const char* candidates[] = {"on cpu", "wrong", "dies"};
  for (const char* candidate : candidates) {
    Task task;
    task.note = candidate;
    judgings.start(std::move(task), job(candidate), tools_);
  }
  EXPECT_EQ(judgings.count(), 3u);
  std::map<std::string, StageRecord> records;
  while (records.size() < 3) {
    serve(judgings);
    for (auto& [task, verified] : judgings.take_ended()) {
      ASSERT_TRUE(verified) << verified.error().describe();
      records[task.note] = verified->verified.stages.back();
    }
  }
  EXPECT_EQ(judgings.count(), 0u);
  EXPECT_EQ(records["on cpu"].status, StageStatus::ok) << in_a_line(records["on cpu"]);
  EXPECT_EQ(records["wrong"].rule, "wrong");
  EXPECT_EQ(records["dies"].failure, FailureClass::crash);
}

TEST_F(JudgingsTest, WhatAsksForMoreMemoryThanThereIsFailsAlone) {
  Procedures<int, Result<int>> procedures(*spawner_);
  procedures.start(1, [](Children&) -> Result<int> { throw std::bad_alloc(); });
  procedures.start(2, [](Children&) -> Result<int> { return 2; });
  std::map<int, Result<int>> results;
  while (results.size() < 2) {
    ASSERT_TRUE(spawner_->next(kSecond / 20));
    for (auto& [about, result] : procedures.take_ended()) results.emplace(about, result);
  }
  ASSERT_FALSE(results.at(1));
  EXPECT_EQ(results.at(1).error().message, "assay itself could not go on: std::bad_alloc");
  EXPECT_EQ(results.at(2), 2);
}

TEST_F(JudgingsTest, NothingIsTimedWhileAnImageComesUpAndNoneIsRenewedWhileSomethingIs) {
  FakeSpawner spawner;
  Judgings<Task> judgings(spawner, memory_, system_clock(), libraries_);
  std::atomic<bool> is_in = false, is_to_leave = false;
  std::thread timed([&] {
    ASSERT_TRUE(judgings.quiet().enter());
    is_in = true;
    while (!is_to_leave) std::this_thread::yield();
    judgings.quiet().leave();
  });
  const auto serve_until = [&](const auto& holds) {
    while (!holds()) {
      judgings.serve(1);  // which is the one above
      std::this_thread::yield();
    }
  };
  spawner.images_coming_up = 1;
  serve_until([&] { return judgings.quiet().waiting() == 1; });
  for (int i = 0; i < 10; ++i) judgings.serve(1);
  EXPECT_FALSE(judgings.quiet().is_taken());
  EXPECT_GE(spawner.renewals, 10u);

  spawner.images_coming_up = 0;
  serve_until([&] { return is_in.load(); });
  const size_t renewals = spawner.renewals;
  for (int i = 0; i < 10; ++i) judgings.serve(1);
  EXPECT_EQ(spawner.renewals, renewals);

  is_to_leave = true;
  timed.join();
  judgings.serve(0);
  EXPECT_EQ(spawner.renewals, renewals + 1);
}

TEST_F(JudgingsTest, WhoWaitsForMemoryKeepsNobodyFromTheMachineAndGetsNoneMeanwhile) {
  FakeSpawner spawner;
  Judgings<Task> judgings(spawner, memory_, system_clock(), libraries_);
  const uint64_t most = memory_.available_bytes();
  std::atomic<bool> is_in = false, is_to_leave = false, has_memory = false;
  std::thread timed([&] {
    ASSERT_TRUE(judgings.memory().enter(most / 4));
    ASSERT_TRUE(judgings.quiet().enter());
    is_in = true;
    while (!is_to_leave) std::this_thread::yield();
    judgings.memory().leave(most / 4);
    judgings.quiet().leave();
  });
  const auto serve_until = [&](const auto& holds) {
    while (!holds()) {
      judgings.serve(2);  // those of this test
      std::this_thread::yield();
    }
  };
  serve_until([&] { return judgings.quiet().waiting() == 1; });
  const uint64_t large = most / 10 * 8;  // what is free holds it, and not beside the other's
  std::thread waits([&] {
    ASSERT_TRUE(judgings.memory().enter(large));
    has_memory = true;
    judgings.memory().leave(large);
  });
  serve_until([&] { return is_in.load(); });
  EXPECT_EQ(judgings.memory().waiting(), 1u);
  is_to_leave = true;
  timed.join();
  serve_until([&] { return has_memory.load(); });
  waits.join();
}

TEST_F(JudgingsTest, AllEndWhileTheyRunWhereverTheyAre) {
  // From before the first process is started to the middle of a window.
  for (int served : {0, 1, 3, 10, 40}) {
    Judgings<Task> judgings(*spawner_, memory_, system_clock(), libraries_);
    for (const char* candidate : {"hangs", "on cpu", "hangs"})
      judgings.start({}, job(candidate), tools_);
    for (int i = 0; i < served; ++i) serve(judgings);
    judgings.end_all();
    EXPECT_EQ(judgings.count(), 0u);
    EXPECT_TRUE(judgings.take_ended().empty());
  }
  spawner_->stop_all();
}

TEST_F(JudgingsTest, GoingAwayEndsThem) {
  {
    Judgings<Task> judgings(*spawner_, memory_, system_clock(), libraries_);
    judgings.start({}, job("hangs"), tools_);
    serve(judgings);
  }
  spawner_->stop_all();
}

}  // namespace
}  // namespace assay
