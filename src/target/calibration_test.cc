#include "target/calibration.h"

#include <gtest/gtest.h>

#include <functional>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

constexpr uint64_t kKiB = 1 << 10, kMiB = 1 << 20;

// Four cores, an L1 for each, an L2 for each two. Bandwidths by level and threads; `read` is best.
Calibration calibration() {
  Calibration made{"0.1.0", "2026-01-31T09:30:00Z", {}, {}, {}};
  made.machine = {"CPU", "ab12", "6.1", {0, 1, 2, 3}, 4, {{1, 32 * kKiB, 1}, {2, kMiB, 2}}};
  for (const int threads : {1, 4}) {
    made.compute.push_back({"f32", threads, {threads == 1 ? 100.0 : 300.0, 90, 15, "FMA"}});
    for (const std::optional<int> level :
         {std::optional(1), std::optional(2), std::optional<int>()})
      for (const auto& [access, word] : kAccessWords) {
        double rate = !level ? 10 : *level == 1 ? 1000 : 100;
        rate *= threads == 4 ? (level ? 4 : 1.5) : 1;
        if (access != Access::read) rate /= 2;
        made.memory.push_back({level, access, threads, 6144, {rate, rate / 2, 15, "64 bytes"}});
      }
  }
  return made;
}

TEST(Calibration, WhatALevelHasRoomForComesFromThere) {
  const Calibration made = calibration();
  EXPECT_DOUBLE_EQ(made.bandwidth_at(0, 1), 1000);
  EXPECT_DOUBLE_EQ(made.bandwidth_at(32 * kKiB, 1), 1000);
  EXPECT_DOUBLE_EQ(made.bandwidth_at(64 * kKiB, 1), 2 / (1.0 / 1000 + 1.0 / 100));
  EXPECT_DOUBLE_EQ(made.bandwidth_at(kMiB + 32 * kKiB, 1), 33 / (1.0 / 1000 + 32.0 / 100));
  EXPECT_DOUBLE_EQ(made.bandwidth_at(kMiB + 64 * kKiB, 1),
                   34 / (1.0 / 1000 + 32.0 / 100 + 1.0 / 10));
  EXPECT_NEAR(made.bandwidth_at(uint64_t{1} << 50, 1), 10, 1e-6);
}

TEST(Calibration, MoreBytesAreNeverFaster) {
  const Calibration made = calibration();
  for (const int threads : {1, 2, 3, 4})
    for (uint64_t bytes = 1; bytes < uint64_t{1} << 40; bytes *= 2)
      EXPECT_LE(made.bandwidth_at(2 * bytes, threads), made.bandwidth_at(bytes, threads) + 1e-9);
}

TEST(Calibration, ThreadsHaveCachesOfTheirOwn) {
  const Calibration made = calibration();
  EXPECT_DOUBLE_EQ(made.bandwidth_at(4 * 32 * kKiB, 4), 4000);
  // Two of L2.
  EXPECT_DOUBLE_EQ(made.bandwidth_at(2 * kMiB + 128 * kKiB, 4), 17 / (1.0 / 4000 + 16.0 / 400));
  EXPECT_NEAR(made.bandwidth_at(uint64_t{1} << 50, 4), 15, 1e-6);
}

TEST(Calibration, FewThreadsHaveNoMoreThanSoManySingleOnesOrAll) {
  const Calibration made = calibration();
  EXPECT_DOUBLE_EQ(made.bandwidth_at(64 * kKiB, 2), 2000);
  EXPECT_NEAR(made.bandwidth_at(uint64_t{1} << 50, 2), 15, 1e-6);
  EXPECT_EQ(made.operations_per_second("f32", 2), 200);
  EXPECT_EQ(made.operations_per_second("f32", 4), 300);
  EXPECT_EQ(made.operations_per_second("f32", 64), 300);
  EXPECT_EQ(made.operations_per_second("f16", 1), std::nullopt);
}

// A measurement may have been disturbed.
TEST(Calibration, WhatIsNearerIsNeverSlower) {
  Calibration made = calibration();
  for (MemoryPeak& peak : made.memory)
    if (peak.level == 1) peak.bytes.best = peak.bytes.median = 1;
  EXPECT_DOUBLE_EQ(made.bandwidth_at(1, 1), 100);
}

TEST(Calibration, WithoutCachesAllIsMainMemory) {
  Calibration made = calibration();
  made.machine.caches.clear();
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, kMiB})
    EXPECT_DOUBLE_EQ(made.bandwidth_at(bytes, 1), 10);
}

TEST(Calibration, IsReadBackAsItWasKept) {
  MemoryDisk disk;
  const Calibration made = calibration();
  auto none = find_calibration(disk, "/cache", made.machine);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->calibration);
  EXPECT_NE(none->note.find("not calibrated"), std::string::npos);
  ASSERT_TRUE(keep_calibration(disk, "/cache", made));
  auto found = find_calibration(disk, "/cache", made.machine);
  ASSERT_TRUE(found) << found.error().describe();
  EXPECT_EQ(found->note, "");
  EXPECT_EQ(found->calibration, made);
}

TEST(Calibration, OfAnotherMachineIsLeftAloneWithANote) {
  MemoryDisk disk;
  const Calibration made = calibration();
  ASSERT_TRUE(keep_calibration(disk, "/cache", made));
  const std::pair<std::string, std::function<void(MachineIdentity&)>> changes[] = {
      {"the CPU was CPU, and now Other", [](auto& now) { now.cpu = "Other"; }},
      {"what the CPU can do", [](auto& now) { now.cpu_sha256 = "cd34"; }},
      {"the kernel was 6.1, and now 6.2", [](auto& now) { now.kernel = "6.2"; }},
      {"the cores were 0,1,2,3, and now 0,1", [](auto& now) { now.cores = {0, 1}; }},
      {"cores to keep busy were 4, and now 2", [](auto& now) { now.threads = 2; }},
      {"the caches were L1 32K, L2 1M, and now L1 32K", [](auto& now) { now.caches.pop_back(); }},
  };
  for (const auto& [note, change] : changes) {
    MachineIdentity now = made.machine;
    change(now);
    auto found = find_calibration(disk, "/cache", now);
    ASSERT_TRUE(found) << found.error().describe();
    EXPECT_FALSE(found->calibration);
    EXPECT_NE(found->note.find(note), std::string::npos) << found->note;
  }
}

TEST(Calibration, WhatIsDamagedIsRefusedByName) {
  const Json whole = to_json(calibration());
  const std::pair<std::string, std::function<void(Json&)>> damages[] = {
      {"schema", [](Json& json) { json["schema"] = 2; }},
      {"machine", [](Json& json) { json.erase("machine"); }},
      {"no list", [](Json& json) { json["memory"] = 3; }},
      {"cores", [](Json& json) { json["machine"]["cores"] = {0, -1}; }},
      {"level", [](Json& json) { json["machine"]["caches"][1]["level"] = 1; }},
      {"'bytes'", [](Json& json) { json["machine"]["caches"][0]["bytes"] = 0; }},
      {"bytes_per_second", [](Json& json) { json["memory"][0]["bytes_per_second"] = -1.0; }},
      {"bytes_per_second", [](Json& json) { json["memory"][0]["bytes_per_second"] = nullptr; }},
      {"bytes_per_second", [](Json& json) { json["memory"][0]["median_bytes_per_second"] = 1e9; }},
      {"threads", [](Json& json) { json["memory"][0]["threads"] = 3; }},
      {"access", [](Json& json) { json["memory"][0]["access"] = "jump"; }},
      {"none of the machine's caches", [](Json& json) { json["memory"][0]["level"] = 4; }},
      {"not one figure for read in L1 by one thread", [](Json& json) { json["memory"].erase(0); }},
      {"not one figure for f32", [](Json& json) { json["compute"].erase(1); }},
      {"not one figure for f32", [](Json& json) { json["compute"].push_back(json["compute"][0]); }},
      {"repetitions", [](Json& json) { json["compute"][0]["repetitions"] = 0; }},
  };
  for (const auto& [says, damage] : damages) {
    Json json = whole;
    damage(json);
    MemoryDisk disk;
    disk.files["/cache/calibration.json"] = dump_json(json);
    auto found = find_calibration(disk, "/cache", calibration().machine);
    ASSERT_FALSE(found) << says;
    EXPECT_NE(found.error().message.find(says), std::string::npos) << found.error().message;
    EXPECT_NE(found.error().next.find("--calibrate"), std::string::npos);
  }
  MemoryDisk disk;
  disk.files["/cache/calibration.json"] = "{";
  EXPECT_FALSE(find_calibration(disk, "/cache", calibration().machine));
}

}  // namespace
}  // namespace assay
