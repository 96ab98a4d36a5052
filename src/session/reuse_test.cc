// What is computed again, and what is not.
#include <filesystem>

#include "fakes/fake_artifact.h"
#include "fakes/session_fixture.h"
#include "sandbox/memory_file.h"
#include "session/session.h"

namespace assay {
namespace {

TEST_F(SessionTest, TheSameCommandAgainStartsNothing) {
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.started.empty());
  EXPECT_EQ(events_.reused, 6u);
}

TEST_F(SessionTest, AnotherFolderIsServedFromTheCache) {
  ASSERT_TRUE(run());
  auto before = attempts_;
  request_.folder = folder_ + "/other";
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.started.empty());
  for (const auto& [id, attempt] : attempts_) {
    EXPECT_TRUE(attempt.stages[0].reused);
    EXPECT_TRUE(attempt.stages[1].reused);
    EXPECT_EQ(attempt.artifacts, before.at(id).artifacts);
    EXPECT_EQ(attempt.stages[1].cpu_ns, before.at(id).stages[1].cpu_ns) << "what it cost then";
  }
}

TEST_F(SessionTest, WhatReadFilesOfTheHubIsExportedAgain) {
  std::string hash = "1";
  request_.settings.weights = true;
  export_ = [&](const Job& job) {
    if (job.body["job"] == "weights") {
      write_to(job.descriptors[1], "archive");
      return FakeSpawner::Deed{
          {Json{{"final", true}, {"ok", {{"parameters", 1}, {"bytes", 4}, {"archive_bytes", 7}}}}}};
    }
    FakeSpawner::Deed deed = exported(job, hash + job.body["path"].get<std::string>());
    deed.messages[0]["ok"]["hub_files"] = {{{"name", "gpt2/config.json"}, {"sha256", hash}}};
    return deed;
  };
  auto started = [&](const char* image) {
    return std::ranges::count(spawner_.started, image, &std::pair<std::string, Json>::first);
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(started("export"), 6) << "three problems and their weights";
  auto before = attempts_;
  ASSERT_TRUE(run());
  EXPECT_EQ(started("export"), 6);
  EXPECT_EQ(started("compile"), 0) << "the program is the same";
  const Attempt& same = attempts_.begin()->second;
  EXPECT_EQ(same.fingerprint, before.begin()->second.fingerprint);
  EXPECT_NE(same.stages[0].reuse.find("not kept: it read files of the hub"), std::string::npos);
  hash = "2";
  request_.folder = folder_ + "/other";
  ASSERT_TRUE(run());
  EXPECT_EQ(started("export"), 6);
  EXPECT_EQ(started("compile"), 3);
  EXPECT_NE(attempts_.begin()->second.fingerprint, before.begin()->second.fingerprint);
}

TEST_F(SessionTest, WhatFailedForWantOfAFileOfTheHubIsExportedAgain) {
  bool there = false;
  export_ = [&](const Job& job) {
    if (there) return exported(job, "mlir");
    return FakeSpawner::Deed{
        {Json{{"final", true},
              {"failed", {{"class", "setup"}, {"error", "no config.json"}}},
              {"hub_files", {{{"name", "gpt2/config.json"}, {"sha256", "missing"}}}}}}};
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.begin()->second.verdict, Verdict::failed);
  there = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.begin()->second.verdict, Verdict::compiled);
  ASSERT_TRUE(run());
  EXPECT_TRUE(spawner_.started.empty());
}

TEST_F(SessionTest, ForceComputesAgain) {
  ASSERT_TRUE(run());
  request_.force = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 6u);
  EXPECT_EQ(attempts_.begin()->second.stages[1].reuse, "computed: asked for with --force");
}

TEST_F(SessionTest, AChangedSourceIsComputedAgainAndSaysSo) {
  ASSERT_TRUE(run());
  disk_.files["/suite/b.py"] = "other source";
  export_ = [](const Job& job) { return exported(job, "other mlir"); };
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 2u);
  EXPECT_EQ(attempts_.at("suite/_/one/b").stages[0].reuse,
            "computed: changed since it was made before: source");
  EXPECT_EQ(attempts_.at("suite/_/one/b").stages[1].reuse,
            "computed: changed since it was made before: program");
}

TEST_F(SessionTest, AnotherCompilerCompilesAgainAndExportsNot) {
  ASSERT_TRUE(run());
  tools_.compiler.identity = "another build";
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 3u);
  for (const auto& [image, job] : spawner_.started) EXPECT_EQ(image, "compile");
  const Attempt& attempt = attempts_.begin()->second;
  EXPECT_TRUE(attempt.stages[0].reused);
  EXPECT_EQ(attempt.stages[1].reuse, "computed: changed since it was made before: compiler");
}

TEST_F(SessionTest, ADamagedCacheIsComputedAgain) {
  ASSERT_TRUE(run());
  for (auto& [path, bytes] : disk_.files)
    if (path.starts_with("/cache/objects/")) bytes = "garbage";
  request_.folder = folder_ + "/other";
  ASSERT_TRUE(run());
  EXPECT_EQ(spawner_.started.size(), 6u);
  EXPECT_EQ(disk_.files.at(folder_ + "/other/suite/_/one/a/kernel.mlir"), "mlir of /suite/a.py");
}

TEST_F(SessionTest, RemovedFilesAreRestored) {
  ASSERT_TRUE(run());
  std::string path = folder_ + "/run/suite/_/one/a/artifact.vmfb";
  ASSERT_EQ(disk_.files.erase(path), 1u);
  ASSERT_TRUE(run());
  EXPECT_TRUE(disk_.files.contains(path));
  EXPECT_TRUE(spawner_.started.empty()) << "from the cache";
}

TEST_F(SessionTest, WhatIsOfAnotherAuthorOrUnderAnotherIdIsRefused) {
  ASSERT_TRUE(run());
  const std::vector<Workload> before = request_.workloads;
  request_.workloads.front().level = "suite";
  request_.workloads.front().suite = "top";
  Status moved = run();
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().message,
            "'/suite/a.py' is 'suite/_/one/a' in this run, and now it would be 'top/suite/one/a', "
            "too");
  request_.workloads = before;
  Attempt other = attempts_.at("suite/_/one/a");
  other.origin.author = "file:/f/iree/a.c";
  other.origin.candidate_sha256 = std::string(64, 'c');
  {
    auto store =
        RunStore::open_to_write(system_disk(), request_.folder, {request_.settings, "", "", {}});
    ASSERT_TRUE(store && store->save(other));
  }
  Status replaced = run();
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().message,
            "'suite/_/one/a' in this run is 'file:/f/iree/a.c', and now it would be 'iree'");
  request_.force = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.at("suite/_/one/a").origin.author, "iree");
}

TEST_F(SessionTest, WhatCouldNotBeJudgedIsTriedAgain) {
  auto good = export_;
  export_ = [](const Job&) {
    FakeSpawner::Deed deed;
    deed.end = EndKind::lost;
    deed.end_message = "its keeper was killed";
    return deed;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.begin()->second.verdict, Verdict::not_judged);
  export_ = good;
  ASSERT_TRUE(run());
  EXPECT_EQ(attempts_.begin()->second.verdict, Verdict::compiled);
}

}  // namespace
}  // namespace assay
