#include "target/mend_timing.h"

#include <gtest/gtest.h>

#include "fakes/sysfs.h"
#include "fakes/temporary_folder.h"
#include "target/timing_facts.h"

namespace assay {
namespace {

std::vector<std::string> in_words(const MemoryDisk& disk) {
  std::vector<std::string> lines;
  for (const TimingMend& mend : timing_mends(disk))
    lines.push_back(mend.path + ": " + mend.from + " -> " + mend.to);
  return lines;
}

const std::string kCpus = "/sys/devices/system/cpu/";
const std::string kHugePages = "/sys/kernel/mm/transparent_hugepage/enabled";

TEST(TimingMends, AreOfWhatIsThereAndOtherwise) {
  EXPECT_EQ(in_words(sysfs("workstation")),
            (std::vector<std::string>{
                kCpus + "cpu0/cpufreq/scaling_governor: powersave -> performance",
                kCpus + "cpu7/cpufreq/scaling_governor: powersave -> performance",
                kHugePages + ": always -> madvise", kCpus + "intel_pstate/no_turbo: 0 -> 1"}));
  EXPECT_TRUE(timing_mends(sysfs("bare")).empty());
}

TEST(TimingMends, AGovernorThatIsNotOfferedIsNotAskedFor) {
  MemoryDisk disk;
  disk.files[kCpus + "cpu0/cpufreq/scaling_governor"] = "userspace\n";
  disk.files[kCpus + "cpu0/cpufreq/scaling_available_governors"] = "userspace ondemand\n";
  disk.files[kCpus + "cpufreq/boost"] = "1\n";
  disk.files[kCpus + "cpufreq/scaling_governor"] = "userspace\n";  // of no core
  EXPECT_EQ(in_words(disk), std::vector<std::string>{kCpus + "cpufreq/boost: 1 -> 0"});
}

TEST(TimingMends, WhatWasMendedNeedsNoMending) {
  MemoryDisk disk = sysfs("workstation");
  for (const TimingMend& mend : timing_mends(disk))
    EXPECT_TRUE(apply(mend, disk, [&](const std::string& path, const std::string& value) -> Status {
      disk.files[path] = value + "\n";
      return {};
    }));
  EXPECT_TRUE(timing_mends(disk).empty());
}

TEST(TimingMends, WhatStaysAsItWasIsSaid) {
  const MemoryDisk disk = sysfs("workstation");
  const TimingMend mend{kHugePages, "always", "madvise"};
  auto ignored = apply(mend, disk, [](const auto&, const auto&) -> Status { return {}; });
  ASSERT_FALSE(ignored);
  EXPECT_EQ(ignored.error().message,
            "'" + kHugePages + "' stays 'always' after 'madvise' was written to it");
  auto refused = apply(mend, disk, [](const std::string& path, const std::string&) -> Status {
    return error(Code::io, "cannot write '" + path + "'");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::io);
}

TEST(TimingMends, AFileIsWrittenInPlaceAndNeverMade) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/setting";
  auto absent = write_setting(path, "1");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().next.find("as root"), std::string::npos);
  EXPECT_FALSE(system_disk().exists(path));
  ASSERT_TRUE(system_disk().write(path, "0\n"));
  ASSERT_TRUE(write_setting(path, "1"));
  EXPECT_EQ(setting_in(system_disk(), path), "1");
}

}  // namespace
}  // namespace assay
