// A session with fakes around it: problems a, b and c, targets one and two.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fakes/fake_clock.h"
#include "fakes/fake_machine.h"
#include "fakes/fake_spawner.h"
#include "fakes/memory_disk.h"
#include "fakes/temporary_folder.h"
#include "session/cached_libraries.h"
#include "session/run.h"

namespace assay {

class RecordedEvents final : public Events {
 public:
  size_t attempts = 0, reused = 0;
  bool has_waited = false;
  std::vector<std::string> finished_ids;
  std::vector<std::vector<UnderWay>> at_work;
  void planned(size_t all, size_t known, size_t, const std::vector<std::string>&) override {
    attempts = all;
    reused = known;
  }
  void started(const std::string&, Stage, size_t) override {}
  void under_way(const std::vector<UnderWay>& all) override { at_work.push_back(all); }
  void waiting() override { has_waited = true; }
  void finished(const Attempt& attempt) override { finished_ids.push_back(attempt.id); }
};

inline void write_to(int fd, const std::string& text) {
  ASSERT_EQ(pwrite(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

// A whole module by is_whole_module().
inline std::string module_for(const std::string& text) {
  std::string body = std::string("\x18\0\0\0IREE", 8) + text;
  auto size = static_cast<uint32_t>(body.size());
  return std::string(reinterpret_cast<const char*>(&size), 4) + body;
}

// A machine with 10 GB, of which `available` is left.
class FakeMemory final : public MemoryGauge {
 public:
  std::function<uint64_t()> available = [] { return uint64_t{9'000'000'000}; };
  uint64_t available_bytes() const override { return available(); }
  uint64_t total_bytes() const override { return 10'000'000'000; }
};

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c"})
      disk_.files[std::string("/suite/") + name + ".py"] = std::string("source of ") + name;
    for (const char* name : {"one", "two"}) {
      Target target;
      target.name = name;
      target.flags = {std::string("--") + name};
      request_.targets.push_back(target);
    }
    request_.workloads = *find_workloads(disk_, {"/suite"});
    request_.authors = {*find_author(disk_, "iree")};
    request_.settings.timeout_ns = 1'000'000'000;
    request_.folder = folder_ + "/run";
    tools_.exporter.name = "export";
    tools_.compiler.image.name = "compile";
    spawner_.worker = [this](const Image& image, const Job& job) {
      return image.name == "export" ? export_(job) : compile_(job);
    };
    export_ = [](const Job& job) {
      return exported(job, "mlir of " + job.body["path"].get<std::string>());
    };
    compile_ = [this](const Job& job) { return compile_all(job); };
  }

  static FakeSpawner::Deed exported(const Job& job, const std::string& mlir) {
    write_to(job.descriptors[1], mlir);
    return {{Json{
        {"final", true},
        {"ok",
         {{"inputs", Json::array()}, {"outputs", Json::array()}, {"mlir_bytes", mlir.size()}}}}}};
  }
  static std::string program_of(const Job& job) {
    char program[64] = {};
    EXPECT_GE(pread(job.descriptors[0], program, sizeof program - 1, 0), 0);
    return program;
  }
  static Json compiled(const Job& job, size_t index) {
    std::string artifact = module_for(program_of(job) + dump_json(job.body["targets"][index]));
    write_to(job.descriptors[index + 1], artifact);
    return {{"index", index},
            {"cpu_ns", 1},
            {"peak_bytes", 2},
            {"ok", {{"files", {{{"name", "artifact.vmfb"}, {"bytes", artifact.size()}}}}}}};
  }
  FakeSpawner::Deed compile_all(const Job& job) {
    FakeSpawner::Deed deed;
    for (size_t i = 0; i < job.body["targets"].size(); ++i)
      deed.messages.push_back(compiled(job, i));
    return deed;
  }

  Status run() {
    auto plan = make_plan(request_, machine_);
    EXPECT_TRUE(plan);
    auto store =
        RunStore::open_to_write(system_disk(), request_.folder, {request_.settings, "", "", {}});
    EXPECT_TRUE(store) << store.error().describe();
    spawner_.started.clear();
    events_ = {};
    CachedLibraries libraries(disk_, cache_, tools_, CachedLibraries::Use::all);
    Status status = run_plan(request_, tools_, std::move(*plan), *store,
                             {disk_, memory_, clock_, spawner_, cache_, libraries, events_});
    attempts_.clear();
    auto stored = store->attempts(true);
    EXPECT_TRUE(stored);
    for (Attempt& attempt : *stored) attempts_[attempt.id] = std::move(attempt);
    return status;
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  MemoryDisk disk_;
  FakeMemory memory_;
  FakeMachine machine_;
  FakeClock clock_;
  FakeSpawner spawner_;
  RecordedEvents events_;
  Cache cache_{disk_, "/cache"};
  Request request_;
  Tools tools_;
  std::function<FakeSpawner::Deed(const Job&)> export_, compile_;
  std::map<std::string, Attempt> attempts_;
};

}  // namespace assay
