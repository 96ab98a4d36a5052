#include "sandbox/switchboard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fakes/fake_spawner.h"
#include "fakes/numbers.h"

namespace assay {
namespace {

class SwitchboardTest : public testing::Test {
 protected:
  SwitchboardTest() {
    spawner_.worker = [this](const Image&, const Job& job) {
      thread_of_worker_ = std::this_thread::get_id();
      return FakeSpawner::Deed{{Json{{"job", job.body}}}};
    };
  }

  // The spawner's thread, until all procedures have returned.
  void serve(std::vector<std::thread>& procedures, size_t expected) {
    while (returned_ < expected) {
      switchboard_.serve();
      if (!spawner_.has_events()) {
        std::this_thread::yield();
        continue;
      }
      auto event = spawner_.next(0);
      ASSERT_TRUE(event);
      if (event->kind != Event::Kind::nothing && !switchboard_.deliver(*event))
        strangers_.push_back(event->child);
    }
    for (std::thread& each : procedures) each.join();
  }

  std::atomic<size_t> returned_ = 0;
  FakeSpawner spawner_;
  Switchboard switchboard_{spawner_};
  std::thread::id thread_of_worker_;
  std::vector<ChildId> strangers_;
};

TEST_F(SwitchboardTest, EachProcedureGetsTheMailOfItsOwnChildrenInOrder) {
  constexpr size_t kProcedures = 8;
  std::vector<std::thread> procedures;
  for (size_t i = 0; i < kProcedures; ++i)
    procedures.emplace_back([&, i] {
      for (size_t round = 0; round < 20; ++round) {
        Json body{{"procedure", i}, {"round", round}};
        auto child = switchboard_.start({}, {}, {body, {}});
        ASSERT_TRUE(child);
        EXPECT_TRUE(switchboard_.send(*child, body, {}));
        auto first = switchboard_.next(*child, 60 * kSecond);
        ASSERT_TRUE(first);
        ASSERT_EQ(first->kind, Event::Kind::message);
        EXPECT_EQ(first->message["job"], body);
        auto second = switchboard_.next(*child, 60 * kSecond);
        ASSERT_TRUE(second);
        EXPECT_EQ(second->kind, Event::Kind::ended);
        EXPECT_FALSE(switchboard_.next(*child, 0)) << "its end was its last word";
        switchboard_.forget(*child);  // nothing to do
      }
      ++returned_;
    });
  serve(procedures, kProcedures);
  EXPECT_EQ(spawner_.sent.size(), kProcedures * 20);
  EXPECT_TRUE(spawner_.ended.empty());
  EXPECT_TRUE(strangers_.empty());
  EXPECT_EQ(thread_of_worker_, std::this_thread::get_id()) << "only this thread has the spawner";
}

TEST_F(SwitchboardTest, WithoutMailPatienceEnds) {
  std::vector<std::thread> procedures;
  procedures.emplace_back([&] {
    auto child = switchboard_.start({}, {}, {});
    ASSERT_TRUE(child);
    while (switchboard_.next(*child, 60 * kSecond)->kind != Event::Kind::message) {
    }
    ++returned_;
  });
  serve(procedures, 1);
  // The test's thread takes no event from the spawner any more.
  auto child = spawner_.start({}, {}, {});
  ASSERT_TRUE(child);
  Event event;
  event.child = *child;
  EXPECT_FALSE(switchboard_.deliver(event)) << "a child that no procedure started";
}

TEST_F(SwitchboardTest, WhoIsForgottenIsStoppedAndItsMailIsNobodys) {
  std::vector<std::thread> procedures;
  procedures.emplace_back([&] {
    auto child = switchboard_.start({}, {}, {});
    ASSERT_TRUE(child);
    switchboard_.forget(*child);
    switchboard_.forget(*child);
    ++returned_;
  });
  serve(procedures, 1);
  EXPECT_EQ(spawner_.ended.size(), 1u);
}

TEST_F(SwitchboardTest, AnInterruptFailsEveryCallThatWaitsOrComes) {
  std::atomic<size_t> waiting = 0;
  auto is_interrupted = [](const auto& result) {
    return !result && result.error().code == Code::interrupted;
  };
  std::vector<std::thread> procedures;
  for (size_t i = 0; i < 4; ++i)
    procedures.emplace_back([&] {
      ++waiting;
      EXPECT_TRUE(is_interrupted(switchboard_.start({}, {}, {})));  // nobody serves
      EXPECT_TRUE(is_interrupted(switchboard_.send(1, {}, {})));
      switchboard_.forget(1);
      switchboard_.stop(1);
      EXPECT_EQ(switchboard_.freezer(1), nullptr);
    });
  while (waiting < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  switchboard_.interrupt();
  for (std::thread& each : procedures) each.join();
  switchboard_.serve();
  EXPECT_TRUE(spawner_.started.empty()) << "what was asked for before is not done after";
  EXPECT_TRUE(spawner_.ended.empty());
}

TEST_F(SwitchboardTest, AnInterruptEndsTheWaitForMail) {
  std::atomic<bool> started = false, wrong = false;
  std::thread procedure([&] {
    auto child = switchboard_.start({}, {}, {});
    started = true;
    auto event = switchboard_.next(*child, 600 * kSecond);
    wrong = event || event.error().code != Code::interrupted;
  });
  while (!started) switchboard_.serve();
  switchboard_.interrupt();
  procedure.join();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(spawner_.ended, std::vector<ChildId>{1}) << "what it started is stopped";
}

}  // namespace
}  // namespace assay
