#include "watch/live_run.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "fakes/temporary_folder.h"
#include "report/example_run.h"
#include "store/run_now.h"
#include "store/run_store.h"

namespace assay {
namespace {

struct Told {
  std::string name;
  Json data;
};

std::vector<Told> told(const std::string& text) {
  std::vector<Told> all;
  for (size_t at = text.find("event: "); at != std::string::npos; at = text.find("event: ", at)) {
    at += 7;
    const size_t end = text.find('\n', at);
    const size_t data = end + 1 + 6;
    all.push_back(
        {text.substr(at, end - at), Json::parse(text.substr(data, text.find('\n', data) - data))});
    at = data;
  }
  return all;
}

class LiveRunTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = RunStore::open_to_write(system_disk(), folder_, {});
    ASSERT_TRUE(store) << store.error().describe();
    store_.emplace(std::move(*store));
  }

  void save(const Attempt& attempt) {
    ASSERT_TRUE(store_->save(attempt));
    live_.look();
  }
  std::vector<Told> next(Seen& seen) {
    return told(live_.next(seen, std::chrono::milliseconds(0)));
  }

  TemporaryFolder scratch_;
  std::string folder_ = scratch_.path() + "/run";
  std::optional<RunStore> store_;
  LiveRun live_{folder_, 7};
};

TEST_F(LiveRunTest, ReadersAreToldWhatIsNewToThem) {
  save(example_attempt("level1", "sum", "local"));
  Seen first;
  auto events = next(first);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "attempts");
  EXPECT_EQ(events[0].data["whole"], true);
  EXPECT_EQ(events[0].data["at"], Json::array({0}));
  EXPECT_EQ(events[0].data["columns"]["problem"], Json({"sum"}));
  EXPECT_EQ(events[1].name, "state");
  EXPECT_EQ(events[1].data["at_work"], true);
  EXPECT_TRUE(next(first).empty());

  Attempt failed = example_attempt("level1", "argmax", "local");
  failed.stages[1].status = StageStatus::failed;
  failed.stages[1].failure = FailureClass::codegen;
  failed.stages[1].error = "no lowering";
  failed.artifacts.clear();
  failed.verdict = verdict_of(failed.stages);
  save(failed);  // by its id it stands before the other
  events = next(first);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data["whole"], false);
  EXPECT_EQ(events[0].data["at"], Json({1})) << "at the end: rows keep their places";
  EXPECT_EQ(events[0].data["head"]["rows"], 2);
  EXPECT_EQ(events[0].data["head"]["causes"][0]["attempts"], Json({1})) << "by these places";

  Seen late;
  EXPECT_EQ(next(late)[0].data["at"], Json({0, 1}));
  EXPECT_EQ(late, first);
  Seen of_another{8, 2};
  EXPECT_EQ(next(of_another)[0].data["whole"], true);
}

TEST_F(LiveRunTest, AnAttemptThatIsMadeAnewStaysInItsPlace) {
  Attempt attempt = example_attempt("level1", "sum", "local");
  save(attempt);
  save(example_attempt("level1", "zeros", "local"));
  Seen seen;
  next(seen);
  attempt.finished = "2026-01-02T03:04:06Z";
  save(attempt);
  const auto events = next(seen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data["at"], Json::array({0}));
  EXPECT_EQ(events[0].data["head"]["rows"], 2);
}

TEST_F(LiveRunTest, WhatIsDoneNowIsTold) {
  save(example_attempt("level1", "sum", "local"));
  Seen seen;
  next(seen);
  RunNow now{.begun_s = 1, .planned = 4, .finished = 1};
  now.under_way = {{"/suite/b.py", Stage::compile, 2}};
  ASSERT_TRUE(write_now(system_disk(), folder_, now));
  live_.look();
  auto events = next(seen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "state");
  EXPECT_EQ(events[0].data["planned"], 4);
  EXPECT_GT(events[0].data["left_s"], 0);
  EXPECT_EQ(events[0].data["under_way"][0]["stage"], "compile");
  EXPECT_TRUE(events[0].data["left_s_at_most"].is_null()) << "it is no search";
  now = {.begun_s = 1, .at_most = 4, .finished = 1};
  ASSERT_TRUE(write_now(system_disk(), folder_, now));
  live_.look();
  events = next(seen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].data["planned"].is_null());
  EXPECT_GT(events[0].data["left_s_at_most"], 0);
  store_.reset();  // the run has ended
  live_.look();
  events = next(seen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data["at_work"], false);
  EXPECT_EQ(events[0].data["under_way"], Json::array()) << "a killed run leaves what it did";
}

TEST_F(LiveRunTest, ARunWhoseFolderIsMadeAnewBeginsAgain) {
  save(example_attempt("level1", "sum", "local"));
  Seen seen;
  next(seen);
  store_.reset();
  ASSERT_TRUE(system_disk().remove_all(folder_));
  live_.look();
  auto events = next(seen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].data["problem"].get<std::string>().contains("holds no run"));
  SetUp();
  save(example_attempt("level1", "zeros", "local"));
  events = next(seen);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].data["whole"], true);
  EXPECT_EQ(events[0].data["columns"]["problem"], Json({"zeros"}));
}

TEST_F(LiveRunTest, DetailsAreThoseOfThePage) {
  const Attempt attempt = example_attempt("level1", "sum", "local");
  save(attempt);
  auto found = live_.details(attempt.id);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(Json::parse(**found)["attempt"]["id"], attempt.id);
  EXPECT_EQ(live_.details("nobody").value(), std::nullopt);
}

}  // namespace
}  // namespace assay
