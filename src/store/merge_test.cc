#include "store/merge.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "fakes/temporary_folder.h"

namespace assay {
namespace {

class Merge : public testing::Test {
 protected:
  Merge() {
    record_.settings.timeout_ns = 1'000'000'000;
    record_.assay_version = "1";
    record_.created = "2026-01-02";
    record_.machine = {{"host", "one"}, {"torch", "2.13.0"}};
  }

  std::string path(const std::string& name) const { return join_path(temporary_.path(), name); }

  static Attempt attempt(const std::string& name) {
    Attempt attempt;
    attempt.workload = name;
    attempt.path = "/p/" + name + ".py";
    attempt.suite = "s";
    attempt.author = "iree";
    attempt.target = "local";
    attempt.fingerprint = "f";
    attempt.finished = "now";
    attempt.stages = {StageRecord{}};
    attempt.stages[0].evidence = {{"mlir_bytes", 5}};
    attempt.artifacts = {{"compilation_phases/one.mlir", sha256(name), name.size()},
                         {"kernel.mlir", sha256(name), name.size()}};
    attempt.verdict = verdict_of(attempt.stages);
    attempt.id = attempt_id(attempt, attempt.author != "iree");
    attempt.windows = {{0, 1, 0, 1, WindowUse::pair, 3, 10, 9, "full/own/0"}};
    return attempt;
  }

  // A run of these, with their files.
  std::string run(const std::string& name, const std::vector<Attempt>& attempts) {
    auto store = RunStore::open_to_write(system_disk(), path(name), record_);
    EXPECT_TRUE(store) << store.error().describe();
    for (const Attempt& each : attempts) {
      const std::string folder = store->result_folder(each.id);
      EXPECT_TRUE(system_disk().make_directories(folder + "/compilation_phases"));
      for (const ArtifactRecord& artifact : each.artifacts)
        EXPECT_TRUE(system_disk().write(join_path(folder, artifact.name), each.workload));
      EXPECT_TRUE(store->save(each));
    }
    return path(name);
  }

  Result<Merged> merge(const std::vector<std::string>& folders, const std::string& to = "merged") {
    return merge_runs(system_disk(), folders, path(to), [&](RunStore& store) -> Status {
      return system_disk().write(join_path(store.folder(), "report.md"), "report");
    });
  }

  // What stands in the temporary folder beside the runs that were made.
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    const auto entries = system_disk().list(temporary_.path());
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  void expect_refused(const Result<Merged>& merged, const std::string& named) {
    ASSERT_FALSE(merged);
    EXPECT_NE(merged.error().describe().find(named), std::string::npos)
        << merged.error().describe();
    EXPECT_FALSE(merged.error().next.empty());
    for (const std::string& name : left()) EXPECT_FALSE(name.contains("merg")) << name;
  }

  TemporaryFolder temporary_;
  RunRecord record_;
};

TEST_F(Merge, AttemptsWindowsAndFilesComeAlong) {
  const std::string a = run("a", {attempt("x"), attempt("y")}), b = run("b", {attempt("z")});
  auto merged = merge({a, b});
  ASSERT_TRUE(merged) << merged.error().describe();
  EXPECT_EQ(merged->attempts, 3u);
  EXPECT_EQ(merged->twice, 0u);
  auto store = RunStore::open_to_read(system_disk(), path("merged"));
  ASSERT_TRUE(store) << store.error().describe();
  EXPECT_EQ(store->record(), record_);
  for (const char* name : {"x", "y", "z"}) {
    Attempt expected = attempt(name);
    EXPECT_EQ(*store->windows(expected.id), expected.windows);
    expected.windows.clear();
    EXPECT_EQ(**store->find(expected.id), expected);
    for (const ArtifactRecord& artifact : expected.artifacts)
      EXPECT_EQ(*system_disk().read(join_path(store->result_folder(expected.id), artifact.name)),
                name);
  }
  EXPECT_EQ(*system_disk().read(path("merged/report.md")), "report");
  EXPECT_EQ(left(), (std::vector<std::string>{"a", "b", "merged"}));
}

TEST_F(Merge, AFolderMayEndInASlash) {
  const std::string a = run("a", {attempt("x")});
  for (const char* name : {"merged", "deep/merged"}) {
    auto merged = merge({a}, std::string(name) + "/");
    ASSERT_TRUE(merged) << merged.error().describe();
    EXPECT_EQ(*system_disk().read(path(std::string(name) + "/report.md")), "report");
  }
  ASSERT_TRUE(system_disk().make_directories(path("empty")));
  ASSERT_TRUE(merge({a}, "empty/"));
  EXPECT_EQ(left(), (std::vector<std::string>{"a", "deep", "empty", "merged"}));
}

TEST_F(Merge, TheSameAttemptInBothIsOne) {
  auto merged = merge({run("a", {attempt("x")}), run("b", {attempt("x"), attempt("y")})});
  ASSERT_TRUE(merged) << merged.error().describe();
  EXPECT_EQ(merged->attempts, 2u);
  EXPECT_EQ(merged->twice, 1u);
}

TEST_F(Merge, AnotherAttemptOfTheSameNameIsRefused) {
  Attempt other = attempt("x");
  other.finished = "later";
  expect_refused(merge({run("a", {attempt("x")}), run("b", {other})}), "s/_/local/x");
}

TEST_F(Merge, OtherWindowsAreAnotherAttempt) {
  Attempt other = attempt("x");
  other.windows[0].cpu_ns = 8;
  expect_refused(merge({run("a", {attempt("x")}), run("b", {other})}), "s/_/local/x");
}

TEST_F(Merge, OtherSettingsAreRefusedByName) {
  const std::string a = run("a", {attempt("x")});
  record_.settings.timeout_ns = 2'000'000'000;
  expect_refused(merge({a, run("b", {attempt("y")})}), "--timeout");
}

TEST_F(Merge, AnotherAssayIsRefused) {
  const std::string a = run("a", {attempt("x")});
  record_.assay_version = "2";
  expect_refused(merge({a, run("b", {attempt("y")})}), "assay 1 and 2");
}

TEST_F(Merge, SeveralMachinesAreAllNamed) {
  const std::string a = run("a", {attempt("x")});
  record_.machine["host"] = "two";
  record_.machine["GPU"] = "one";
  record_.created = "2026-01-01";
  const std::string b = run("b", {attempt("y")});
  ASSERT_TRUE(merge({a, b}));
  auto store = RunStore::open_to_read(system_disk(), path("merged"));
  EXPECT_EQ(store->record().machine["host"], (Json{"one", "two"}));
  EXPECT_EQ(store->record().machine["torch"], "2.13.0");
  EXPECT_EQ(store->record().machine["GPU"], (Json{nullptr, "one"}));
  EXPECT_EQ(store->record().created, "2026-01-01");
}

TEST_F(Merge, AMachineThatIsNoObjectStaysAsItIs) {
  record_.machine = nullptr;
  ASSERT_TRUE(merge({run("a", {attempt("x")}), run("b", {attempt("y")})}));
  EXPECT_TRUE(RunStore::open_to_read(system_disk(), path("merged"))->record().machine.is_null());
}

TEST_F(Merge, AFileThatIsGoneOrChangedIsRefused) {
  const std::string a = run("a", {attempt("x")});
  const std::string file = join_path(a, attempt("x").id) + "/kernel.mlir";
  ASSERT_TRUE(system_disk().write(file, "changed"));
  expect_refused(merge({a}), "kernel.mlir");
  ASSERT_TRUE(system_disk().remove_all(file));
  expect_refused(merge({a}), "kernel.mlir");
}

TEST_F(Merge, WhatCannotBeFinishedLeavesNothing) {
  const std::string a = run("a", {attempt("x")});
  expect_refused(merge_runs(system_disk(), {a}, path("merged"),
                            [](RunStore&) -> Status {
                              return error(Code::io, "the disk is full", "make room");
                            }),
                 "the disk is full");
}

TEST_F(Merge, NothingIsOverwritten) {
  const std::string a = run("a", {attempt("x")});
  ASSERT_TRUE(system_disk().make_directories(path("merged")));
  EXPECT_TRUE(merge({a})) << "an empty folder is nobody's";
  EXPECT_FALSE(merge({a}));
  EXPECT_FALSE(merge_runs(system_disk(), {a}, a, [](RunStore&) { return Status(); }));
}

}  // namespace
}  // namespace assay
