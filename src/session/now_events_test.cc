#include "session/now_events.h"

#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "fakes/memory_disk.h"

namespace assay {
namespace {

class Counted final : public Events {
 public:
  void planned(size_t, size_t, size_t, const std::vector<std::string>&) override { ++all; }
  void reused(const Attempt&) override { ++all; }
  void started(const std::string&, Stage, size_t) override { ++all; }
  void under_way(const std::vector<UnderWay>&) override { ++all; }
  void waiting() override { ++all; }
  void finished(const Attempt&) override { ++all; }
  int all = 0;
};

TEST(NowEvents, WhatTheRunDoesIsInItsFolderAndEveryEventGoesOn) {
  MemoryDisk disk;
  FakeClock clock;
  Counted others;
  auto now = [&] { return *run_now_from_json(Json::parse(disk.files.at("/run/.now.json"))); };
  {
    NowEvents events(disk, "/run", clock, others);
    EXPECT_EQ(now().planned, 0u);
    events.planned(7, 2, 0, {});
    events.reused({});
    events.started("/p.py", Stage::compile, 1);
    events.under_way({{"/p.py", Stage::compile, clock.now_ns()}});
    EXPECT_EQ(now().planned, 7u);
    EXPECT_EQ(now().reused, 2u);
    ASSERT_EQ(now().under_way.size(), 1u);
    EXPECT_EQ(now().under_way[0].what, "/p.py");
    events.waiting();
    EXPECT_TRUE(now().waits);
    events.finished({});
    EXPECT_EQ(now().finished, 1u);
    EXPECT_EQ(others.all, 6);
  }
  EXPECT_TRUE(now().under_way.empty()) << "it has ended";
  EXPECT_FALSE(now().waits);
}

TEST(NowEvents, ADiskThatIsFullEndsNoRun) {
  MemoryDisk disk;
  disk.writes_until_full = 0;
  FakeClock clock;
  Counted others;
  NowEvents events(disk, "/run", clock, others);
  events.planned(1, 0, 0, {});
  EXPECT_EQ(others.all, 1);
}

}  // namespace
}  // namespace assay
