#include "session/store_sink.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fakes/temporary_folder.h"
#include "run/outcome.h"

namespace assay {
namespace {

class LastEvent final : public Events {
 public:
  void finished(const Attempt& attempt) override { last = attempt; }

  Attempt last;
};

// On the disk: how long names may be is its word.
class StoreSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cache_.prepare());
    RunRecord run;
    run.created = "now";
    auto store = RunStore::open_to_write(system_disk(), folder_.path() + "/run", run);
    ASSERT_TRUE(store) << store.error().describe();
    store_.emplace(std::move(*store));
  }

  Status finish(const std::string& workload, const std::vector<std::string>& files) {
    std::vector<ArtifactRecord> artifacts;
    for (const std::string& name : files)
      artifacts.push_back(*cache_.put_object(name, "of " + name));
    Attempt attempt;
    attempt.workload = workload;
    attempt.path = "/p.py";
    attempt.suite = "s";
    attempt.author = "mine";
    attempt.target = "local";
    attempt.id = attempt_id(attempt, attempt.author != "iree");
    StageRecord compiled;
    compiled.stage = Stage::compile;
    attempt.stages = {compiled};
    attempt.artifacts = std::move(artifacts);
    Finished finished{std::move(attempt)};
    return StoreSink(system_disk(), cache_, *store_, events_).take(finished);
  }

  TemporaryFolder folder_;
  Cache cache_{system_disk(), folder_.path() + "/cache"};
  std::optional<RunStore> store_;
  LastEvent events_;
};

TEST_F(StoreSinkTest, AFileWhoseNameCannotBeIsAFindingAboutItsAttempt) {
  const std::string good = "kernels/add.ptx";
  Status done = finish("one", {good, "kernels/" + std::string(300, 'k') + ".ptx"});
  ASSERT_TRUE(done) << done.error().describe();
  auto stored = store_->find(events_.last.id);
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->verdict, Verdict::failed);
  EXPECT_NE((*stored)->stages.back().error.find("name"), std::string::npos);
  ASSERT_EQ((*stored)->artifacts.size(), 1u);
  EXPECT_EQ((*stored)->artifacts[0].name, good);
  EXPECT_TRUE(system_disk().exists(store_->result_folder(events_.last.id) + "/" + good));
  ASSERT_TRUE(finish("two", {good}));
  EXPECT_EQ(events_.last.verdict, Verdict::compiled);
}

TEST_F(StoreSinkTest, WhatElseCannotBeWrittenEndsTheRun) {
  ASSERT_TRUE(finish("one", {}));
  const std::string folder = store_->result_folder(events_.last.id);
  ASSERT_TRUE(system_disk().write(folder + "/in_the_way", ""));
  EXPECT_FALSE(finish("one", {"in_the_way/add.ptx"}));
}

}  // namespace
}  // namespace assay
