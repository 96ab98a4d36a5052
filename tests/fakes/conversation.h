// Procedures that talk with real processes, in tests: the test's thread is the spawner's.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "built.h"
#include "fakes/numbers.h"
#include "fakes/temporary_folder.h"
#include "sandbox/isolation.h"
#include "sandbox/process_spawner.h"
#include "sandbox/switchboard.h"

namespace assay {

class ConversationTest : public testing::Test {
 protected:
  void SetUp() override {
    auto spawner = ProcessSpawner::create(temporary_.path() + "/scratch");
    ASSERT_TRUE(spawner);
    spawner_ = std::move(*spawner);
    // Everybody must be able to enter the scratch folder's parents: a jail's user is another.
    std::filesystem::permissions(temporary_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
  }

  // In the best jail that this machine gives; without one where it gives none.
  static Limits jailed() {
    Limits limits;
    limits.timeout_ns = 60 * kSecond;
    if (isolation().highest == Isolation::L0) return limits;
    JailSpec jail;
    jail.level = isolation().highest;
    jail.read_only = {"/usr", "/bin", "/lib", "/lib64", built::kFakeRunner};
    jail.environment = {"PATH=/usr/bin:/bin"};
    jail.may_exec = true;
    limits.jail = jail;
    return limits;
  }

  // Runs it on a thread of its own, and serves its children until it returns.
  template <class Procedure>
  auto converse(const Procedure& procedure) {
    Switchboard switchboard(*spawner_);
    std::optional<decltype(procedure(switchboard))> result;
    std::atomic<bool> through = false;
    std::thread thread([&] {
      result.emplace(procedure(switchboard));
      through = true;
      spawner_->wake();
    });
    while (!through) {
      switchboard.serve();
      auto event = spawner_->next(kSecond / 10);
      EXPECT_TRUE(event) << event.error().describe();
      if (event) switchboard.deliver(*event);
    }
    thread.join();
    return std::move(*result);
  }

  TemporaryFolder temporary_;
  std::unique_ptr<ProcessSpawner> spawner_;
};

}  // namespace assay
