// What the machine and its control groups leave to this process.
#include <gtest/gtest.h>

#include <memory>

#include "base/cores.h"
#include "base/memory_gauge.h"
#include "fakes/memory_disk.h"

namespace assay {
namespace {

MemoryDisk in_a_group() {
  MemoryDisk disk;
  disk.files["/proc/meminfo"] = "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable:  800 kB\n";
  disk.files["/proc/self/cgroup"] = "1:name=systemd:/x\n0::/a/b\n";
  disk.files["/sys/fs/cgroup/a/b/memory.max"] = "max\n";
  disk.files["/sys/fs/cgroup/a/memory.max"] = "500000\n";
  disk.files["/sys/fs/cgroup/a/memory.current"] = "450000\n";
  disk.files["/sys/fs/cgroup/a/memory.stat"] = "anon 1\nactive_file 100000\ninactive_file 50000\n";
  return disk;
}

TEST(Limits, MemoryIsTheMachinesWithoutAGroup) {
  MemoryDisk disk;
  disk.files["/proc/meminfo"] = in_a_group().files["/proc/meminfo"];
  EXPECT_EQ(SystemMemory(disk).total_bytes(), 1'024'000u);
  EXPECT_EQ(SystemMemory(disk).available_bytes(), 819'200u);
}

TEST(Limits, AGroupAboveOursLimitsMemory) {
  MemoryDisk disk = in_a_group();
  EXPECT_EQ(SystemMemory(disk).total_bytes(), 500'000u);
  EXPECT_EQ(SystemMemory(disk).available_bytes(), 200'000u) << "cached files count as free";
}

TEST(Limits, AGroupLimitsCores) {
  MemoryDisk disk;
  int all = usable_cores(disk);
  EXPECT_GE(all, 1);
  disk = in_a_group();
  disk.files["/sys/fs/cgroup/a/b/cpu.max"] = "max 100000\n";
  EXPECT_EQ(usable_cores(disk), all);
  disk.files["/sys/fs/cgroup/a/cpu.max"] = "50000 100000\n";
  EXPECT_EQ(usable_cores(disk), 1);
}

}  // namespace
}  // namespace assay
