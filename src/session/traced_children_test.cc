#include "session/traced_children.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "base/clock.h"

namespace assay {
namespace {

// Children that say what a test has prepared.
struct ScriptedChildren final : Children {
  std::deque<Event> events;
  std::vector<ChildId> forgotten;
  ChildId last = 0;
  bool starts = true;

  void start_image(const Image&) override {}
  Result<ChildId> start(const Image&, const Limits&, const Job&) override {
    if (!starts) return error(Code::unavailable, "the image has died");
    return ++last;
  }
  Status send(ChildId, const Json&, const std::vector<int>&) override { return {}; }
  Result<Event> next(ChildId child, int64_t) override {
    if (events.empty()) return error(Code::interrupted, "interrupted");
    Event event = std::move(events.front());
    events.pop_front();
    event.child = child;
    return event;
  }
  void stop(ChildId) override {}
  void forget(ChildId child) override { forgotten.push_back(child); }
  std::shared_ptr<Freezer> freezer(ChildId) override { return nullptr; }
  Fork fork_of(ChildId) override { return {}; }
  Result<ProcessMemory> open_memory(ChildId) override {
    return error(Code::unavailable, "it has no memory of its own");
  }
};

class TracedChildrenTest : public testing::Test {
 protected:
  ChildId start(const std::string& image) {
    Image one;
    one.name = image;
    return *traced_.start(one, {}, {});
  }
  // What comes of a child next is of that kind.
  void tell(ChildId child, Event::Kind kind) {
    Event event;
    event.kind = kind;
    children_.events.push_back(std::move(event));
    EXPECT_EQ(traced_.next(child, 1)->kind, kind);
  }

  ScriptedChildren children_;
  TracedChildren traced_{children_};
};

TEST_F(TracedChildrenTest, EachIsNotedWhenItBeganAndWhenItsEndWasTold) {
  const int64_t before_us = utc_now_us();
  const ChildId oracle = start("oracle"), launch = start("launch");
  tell(oracle, Event::Kind::message);
  tell(oracle, Event::Kind::nothing);
  EXPECT_FALSE(traced_.processes()[0].wall_ns) << "it goes on";
  tell(launch, Event::Kind::ended);
  const int64_t all_us = utc_now_us() - before_us;
  const auto processes = traced_.processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].image, "oracle");
  EXPECT_EQ(processes[1].image, "launch");
  EXPECT_GE(processes[0].began_us, before_us);
  EXPECT_GE(processes[1].began_us, processes[0].began_us);
  EXPECT_FALSE(processes[0].wall_ns);
  ASSERT_TRUE(processes[1].wall_ns);
  EXPECT_GE(*processes[1].wall_ns, 0);
  EXPECT_LE(*processes[1].wall_ns, all_us * 1000);
}

TEST_F(TracedChildrenTest, WhatIsForgottenEndsThenAndOnce) {
  const ChildId child = start("launch");
  traced_.forget(child);
  EXPECT_EQ(children_.forgotten, std::vector<ChildId>{child});
  const auto wall_ns = traced_.processes()[0].wall_ns;
  ASSERT_TRUE(wall_ns);
  while (utc_now_us() * 1000 <= traced_.processes()[0].began_us * 1000 + *wall_ns) {
  }
  traced_.forget(child);
  EXPECT_EQ(traced_.processes()[0].wall_ns, wall_ns);
}

TEST_F(TracedChildrenTest, WhatCouldNotBeStartedIsNone) {
  children_.starts = false;
  EXPECT_FALSE(traced_.start({}, {}, {}));
  EXPECT_TRUE(traced_.processes().empty());
}

TEST_F(TracedChildrenTest, AnInterruptEndsNothing) {
  const ChildId child = start("launch");
  EXPECT_FALSE(traced_.next(child, 1));
  EXPECT_FALSE(traced_.processes()[0].wall_ns);
}

TEST_F(TracedChildrenTest, OfAChildOfOthersNothingIsNoted) {
  tell(7, Event::Kind::ended);
  traced_.forget(7);
  EXPECT_TRUE(traced_.processes().empty());
}

}  // namespace
}  // namespace assay
