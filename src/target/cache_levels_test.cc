#include "target/cache_levels.h"

#include <gtest/gtest.h>

#include "base/cores.h"
#include "fakes/sysfs.h"

namespace assay {
namespace {

TEST(CacheLevels, AreThoseThatHoldDataTheNearestFirst) {
  const std::vector<CacheLevel> expected{{1, 48 << 10, 2}, {2, 2 << 20, 2}, {3, 30 << 20, 8}};
  EXPECT_EQ(cache_levels(sysfs("workstation")), expected);
}

TEST(CacheLevels, AreAbsentWhereNobodyShowsThem) {
  EXPECT_TRUE(cache_levels(sysfs("bare")).empty());
  MemoryDisk odd;
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index0/";
  odd.files[folder + "type"] = "Unified\n";
  odd.files[folder + "level"] = "2\n";
  odd.files[folder + "size"] = "a lot\n";
  EXPECT_TRUE(cache_levels(odd).empty());
  odd.files[folder + "size"] = "512K\n";
  EXPECT_EQ(cache_levels(odd), (std::vector<CacheLevel>{{2, 512 << 10, std::nullopt}}));
}

TEST(CoreLists, AreReadAsTheKernelWritesThem) {
  EXPECT_EQ(parse_core_list("0-2,5\n"), (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(parse_core_list("7"), std::vector<int>{7});
  for (const std::string odd : {"", "\n", "x", "1-", "3-1", "1,,2", "-1", "1;2", "0-99999999"})
    EXPECT_TRUE(parse_core_list(odd).empty()) << odd;
}

}  // namespace
}  // namespace assay
