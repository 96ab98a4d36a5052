// The cache and the run's store.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "fakes/memory_disk.h"
#include "fakes/temporary_folder.h"
#include "store/cache.h"
#include "store/run_store.h"

namespace assay {
namespace {

CacheKey key(const std::string& flags) {
  return {"compile x for local", {{"program", "abc"}, {"flags", flags}, {"compiler", "1"}}};
}

CacheEntry entry(Cache& cache, const std::string& bytes) {
  CacheEntry entry;
  entry.record.stage = Stage::compile;
  entry.record.wall_ns = 7;
  entry.objects = {*cache.put_object("artifact.vmfb", bytes)};
  return entry;
}

TEST(Cache, WhatWasPutIsFound) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  EXPECT_EQ(cache.find(key("O3")).reason, "computed: never made before on this machine");
  ASSERT_TRUE(cache.put(key("O3"), entry(cache, "bytes")));
  auto found = cache.find(key("O3"));
  ASSERT_TRUE(found.entry) << found.reason;
  EXPECT_EQ(found.entry->record.wall_ns, 7);
  EXPECT_EQ(*cache.read_object(found.entry->objects[0]), "bytes");
}

TEST(Cache, AMissSaysWhatChanged) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  ASSERT_TRUE(cache.put(key("O3"), entry(cache, "bytes")));
  EXPECT_EQ(cache.find(key("O2")).reason, "computed: changed since it was made before: flags");
  CacheKey two = key("O2");
  two.ingredients["compiler"] = "2";
  EXPECT_EQ(cache.find(two).reason, "computed: changed since it was made before: compiler, flags");
}

TEST(Cache, DamageIsNoticedAndMended) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  CacheEntry made = entry(cache, "bytes");
  ASSERT_TRUE(cache.put(key("O3"), made));
  std::string path = cache.object_path(made.objects[0]);
  for (const char* damage : {"byte", "bytez", ""}) {
    disk.files[path] = damage;
    auto found = cache.find(key("O3"));
    EXPECT_FALSE(found.entry);
    EXPECT_NE(found.reason.find("damaged"), std::string::npos) << found.reason;
  }
  ASSERT_TRUE(cache.put_object("artifact.vmfb", "bytes"));
  EXPECT_TRUE(cache.find(key("O3")).entry);
  disk.files.erase(path);
  EXPECT_FALSE(cache.find(key("O3")).entry);
}

TEST(Cache, EntriesThatDoNotReadAreNotThere) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  ASSERT_TRUE(cache.put(key("O3"), entry(cache, "bytes")));
  std::string path = "/cache/entries/" + key("O3").hash() + ".json";
  ASSERT_TRUE(disk.files.contains(path));
  std::string whole = disk.files[path];
  for (size_t size : {size_t{0}, whole.size() / 2, whole.size() - 2}) {
    disk.files[path] = whole.substr(0, size);
    EXPECT_FALSE(cache.find(key("O3")).entry) << size;
  }
  disk.files[path] = "{\"schema\": 99}";
  EXPECT_FALSE(cache.find(key("O3")).entry);
}

// An entry that a run wrote must never be found under other ingredients.
TEST(Cache, AnEntryOfAnotherKeyIsRefused) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  ASSERT_TRUE(cache.put(key("O3"), entry(cache, "bytes")));
  disk.files["/cache/entries/" + key("O2").hash() + ".json"] =
      disk.files["/cache/entries/" + key("O3").hash() + ".json"];
  EXPECT_FALSE(cache.find(key("O2")).entry);
}

TEST(Cache, AFullDiskIsAnError) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  CacheEntry made = entry(cache, "bytes");
  disk.writes_until_full = disk.writes.size();
  auto failed = cache.put(key("O3"), made);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("No space left"), std::string::npos);
  EXPECT_FALSE(cache.put_object("x", "other bytes"));
}

class RunStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    record_.settings.timeout_ns = 1'000'000'000;
    record_.assay_version = "1";
    record_.created = "now";
  }

  Result<RunStore> open() { return RunStore::open_to_write(system_disk(), folder_, record_); }

  static Attempt attempt(const std::string& name) {
    Attempt attempt;
    attempt.workload = name;
    attempt.path = "/p/" + name + ".py";
    attempt.suite = "s";
    attempt.author = "iree";
    attempt.target = "local";
    attempt.fingerprint = "f";
    attempt.finished = "now";
    StageRecord exported;
    exported.began_us = 1'767'323'045'000'000;
    exported.wall_ns = 3;
    exported.reuse = "computed";
    exported.evidence = Json{{"mlir_bytes", 5}};
    StageRecord compiled;
    compiled.stage = Stage::compile;
    compiled.status = StageStatus::failed;
    compiled.failure = FailureClass::crash;
    compiled.error = "crashed with \"quotes\"";
    compiled.detail = "long";
    compiled.peak_bytes = 1 << 20;
    attempt.stages = {exported, compiled};
    attempt.artifacts = {{"kernel.mlir", std::string(64, '0'), 5}};
    attempt.verdict = Verdict::failed;
    attempt.id = attempt_id(attempt, attempt.author != "iree");
    return attempt;
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  RunRecord record_;
};

TEST_F(RunStoreTest, AttemptsComeBackAsTheyWere) {
  {
    auto store = open();
    ASSERT_TRUE(store) << store.error().describe();
    ASSERT_TRUE(store->save(attempt("b")));
    ASSERT_TRUE(store->save(attempt("a")));
    Attempt changed = attempt("a");
    changed.stages.pop_back();
    changed.artifacts.clear();
    changed.verdict = Verdict::exported;
    ASSERT_TRUE(store->save(changed)) << "replaces";
  }
  auto store = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_TRUE(store) << store.error().describe();
  EXPECT_EQ(store->record(), record_);
  auto attempts = store->attempts(true);
  ASSERT_TRUE(attempts) << attempts.error().describe();
  ASSERT_EQ(attempts->size(), 2u);
  EXPECT_EQ((*attempts)[0].verdict, Verdict::exported);
  EXPECT_EQ((*attempts)[1], attempt("b"));
  EXPECT_EQ(*store->find("s/_/local/b"), attempt("b"));
  EXPECT_FALSE(store->find("s/_/local/c")->has_value());
  EXPECT_EQ(store->known()->at("s/_/local/a").fingerprint, "f");
}

TEST_F(RunStoreTest, WindowsAreThoseOfTheAttemptThatWasStoredLast) {
  auto opened = open();
  ASSERT_TRUE(opened) << opened.error().describe();
  RunStore& store = *opened;
  Attempt timed = attempt("softmax");
  for (int place : {0, 1})
    timed.windows.push_back(
        {2, 7, place, 1 - place, WindowUse::pair, 30, 3'000'000, 2'900'000, "full/own/41"});
  ASSERT_TRUE(store.save(timed));
  EXPECT_EQ(*store.windows(timed.id), timed.windows);
  EXPECT_TRUE(store.windows("another")->empty());
  timed.windows.resize(1);
  ASSERT_TRUE(store.save(timed));
  EXPECT_EQ(*store.windows(timed.id), timed.windows);
}

TEST_F(RunStoreTest, ReportsReadLessOfTheEvidence) {
  Attempt stored = attempt("a");
  stored.stages[1] = StageRecord{};
  stored.stages[1].stage = Stage::compile;
  stored.stages[1].detail = "long";
  stored.stages[1].evidence = Json{{"flags", {"--dispatches"}}, {"dispatches", 7}};
  StageRecord verified;
  verified.stage = Stage::verify;
  verified.evidence = {{"rounds", {{{"weaker", 1}}}}, {"weaker", {"a, b"}}, {"seed", "7"}};
  stored.stages.push_back(verified);
  StageRecord measured;
  measured.stage = Stage::measure;
  measured.evidence = {{"measured", {{"launches", 6}}}, {"against", {{{"baseline", "eager"}}}}};
  stored.stages.push_back(measured);
  stored.verdict = Verdict::accepted;
  {
    ASSERT_TRUE(open()->save(stored));
  }
  auto store = RunStore::open_to_read(system_disk(), folder_);
  Attempt tabulated = stored;
  tabulated.stages[2].evidence = Json{{"weaker", {"a, b"}}};
  tabulated.stages[3].evidence.erase("measured");
  tabulated.stages[0].evidence = nullptr;
  tabulated.stages[1].detail = "";
  tabulated.stages[1].evidence = Json{{"dispatches", 7}};
  EXPECT_EQ(store->attempts(false)->at(0), tabulated);
  Attempt texts = tabulated;
  texts.stages[0].evidence_text = R"({"mlir_bytes":5})";
  texts.stages[2].evidence_text = dump_json(verified.evidence);
  texts.stages[3].evidence_text = dump_json(measured.evidence);
  texts.stages[1].detail = "long";
  texts.stages[1].evidence_text = R"({"flags":["--dispatches"],"dispatches":7})";
  EXPECT_EQ(store->attempts_as_text()->at(0), texts);
  EXPECT_EQ(store->attempts(true)->at(0), stored);
}

TEST_F(RunStoreTest, EvidenceThatIsNoJsonIsOneClearError) {
  {
    ASSERT_TRUE(open()->save(attempt("a")));
  }
  {
    auto database = Database::open(folder_ + "/assay.sqlite", Database::Access::read_write);
    ASSERT_TRUE(database->execute("UPDATE evidence SET body = '{' WHERE kind = 'evidence'"));
  }
  auto store = RunStore::open_to_read(system_disk(), folder_);
  for (const auto& read : {store->attempts(true), store->attempts_as_text()}) {
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("evidence of s/_/local/a"), std::string::npos);
  }
  EXPECT_TRUE(store->attempts(false)) << "what is not read does no harm";
}

TEST_F(RunStoreTest, ContradictionsAreNotStored) {
  auto store = open();
  Attempt wrong = attempt("a");
  wrong.verdict = Verdict::compiled;
  EXPECT_FALSE(store->save(wrong));
  EXPECT_TRUE(store->attempts(false)->empty());
}

TEST_F(RunStoreTest, OneWriterAtATime) {
  auto first = open();
  ASSERT_TRUE(first);
  auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::refused);
  ASSERT_TRUE(first->save(attempt("a")));
  auto reader = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->attempts(false)->size(), 1u) << "readers see what is committed";
}

TEST_F(RunStoreTest, TheMachineIsThatOfTheLastRun) {
  record_.machine = Json{{"compiler build", "1"}};
  ASSERT_TRUE(open());
  std::string created = record_.created;
  record_.created = "2030-01-01T00:00:00Z";
  record_.machine = Json{{"compiler build", "2"}};
  ASSERT_TRUE(open());
  auto read = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->record().machine["compiler build"], "2");
  EXPECT_EQ(read->record().created, created);
}

TEST_F(RunStoreTest, OtherSettingsAreRefused) {
  {
    ASSERT_TRUE(open());
  }
  record_.settings.timeout_ns = 2'000'000'000;
  auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
}

// A folder of version 6 is read as it is, and gets today's tables once it is written to.
TEST_F(RunStoreTest, OlderTablesAreReadAndBroughtUpToDate) {
  Attempt stored = attempt("a");
  {
    auto store = open();
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->save(stored));
  }
  auto version = [&] {
    return Database::open(folder_ + "/assay.sqlite", Database::Access::read)
        ->integer_pragma("user_version")
        .value();
  };
  {
    auto database = Database::open(folder_ + "/assay.sqlite", Database::Access::read_write);
    ASSERT_TRUE(
        database->execute("ALTER TABLE stage DROP COLUMN blamed;"
                          "ALTER TABLE stage DROP COLUMN began_us;"
                          "ALTER TABLE attempt DROP COLUMN profile;"
                          "ALTER TABLE attempt DROP COLUMN operation;"
                          "PRAGMA user_version = 6"));
  }
  for (StageRecord& stage : stored.stages) {
    stage.blamed.reset();
    stage.began_us.reset();
  }
  auto read = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->find(stored.id).value(), stored);
  EXPECT_EQ(version(), 6) << "reading changes nothing";
  {
    auto store = open();
    ASSERT_TRUE(store) << store.error().describe();
    EXPECT_EQ(store->find(stored.id).value(), stored);
    ASSERT_TRUE(store->save(stored));
  }
  EXPECT_EQ(version(), 9);
}

TEST_F(RunStoreTest, NewerTablesAreRefused) {
  {
    ASSERT_TRUE(open());
  }
  {
    auto database = Database::open(folder_ + "/assay.sqlite", Database::Access::read_write);
    ASSERT_TRUE(database->execute("PRAGMA user_version = 99"));
  }
  auto refused = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().next.find("newer assay"), std::string::npos);
}

// What a run leaves that was killed in its first moment, and what one has that just begins.
TEST_F(RunStoreTest, ARunThatStoredNothingSaysSo) {
  auto problem = [&] { return RunStore::open_to_read(system_disk(), folder_).error(); };
  EXPECT_EQ(problem().code, Code::not_found);
  for (const char* file : {"/.lock", "/assay.sqlite"}) {
    ASSERT_TRUE(system_disk().write(folder_ + file, ""));
    EXPECT_NE(problem().message.find("has stored nothing"), std::string::npos) << file;
    EXPECT_NE(problem().next.find("assay run"), std::string::npos) << file;
  }
  EXPECT_TRUE(open()) << "the same command goes on";
  EXPECT_TRUE(RunStore::open_to_read(system_disk(), folder_));
}

TEST_F(RunStoreTest, AFileThatIsNoStoreIsOneClearError) {
  ASSERT_TRUE(system_disk().write(folder_ + "/assay.sqlite", "this is no database, believe me"));
  EXPECT_FALSE(open());
  auto read = RunStore::open_to_read(system_disk(), folder_);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().describe().find("assay.sqlite"), std::string::npos);
  EXPECT_FALSE(RunStore::open_to_read(system_disk(), folder_ + "/nowhere"));
}

TEST_F(RunStoreTest, AKilledWriterLosesNothingThatWasSaved) {
  for (int round = 0; round < 5; ++round) {
    pid_t writer = fork();
    if (writer == 0) {
      auto store = open();
      for (int i = 0;; ++i)
        if (!store->save(attempt("r" + std::to_string(round) + "_" + std::to_string(i)))) _exit(1);
    }
    usleep(30'000);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    auto store = open();
    ASSERT_TRUE(store) << store.error().describe();
    auto attempts = store->attempts(true);
    ASSERT_TRUE(attempts) << attempts.error().describe();
    for (const Attempt& each : *attempts) EXPECT_EQ(each, attempt(each.workload));
  }
}

}  // namespace
}  // namespace assay
