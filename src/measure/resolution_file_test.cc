#include "measure/resolution_file.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

MachineIdentity machine() {
  return {.cpu = "a CPU",
          .cpu_sha256 = std::string(64, 'a'),
          .kernel = "6.1",
          .cores = {0, 1},
          .threads = 2,
          .caches = {}};
}

TEST(KeptResolution, IsFoundOnTheMachineThatItIsOf) {
  MemoryDisk disk;
  const KeptResolution found{"2026-01-02T03:04:05Z", 0.021, 1'000'000};
  EXPECT_EQ(find_resolution(disk, "/cache", machine()), std::nullopt);
  ASSERT_TRUE(keep_resolution(disk, "/cache", machine(), found));
  EXPECT_EQ(find_resolution(disk, "/cache", machine()), found);
  MachineIdentity other = machine();
  other.kernel = "6.2";
  EXPECT_EQ(find_resolution(disk, "/cache", other), std::nullopt);
}

TEST(KeptResolution, WhatIsNoneIsNothing) {
  MemoryDisk disk;
  ASSERT_TRUE(keep_resolution(disk, "/cache", machine(), {"now", 0.5, 1}));
  std::string& text = disk.files.at("/cache/resolution.json");
  const std::string good = text;
  for (const auto& [what, with] : {std::pair("0.5", "-0.5"),
                                   {"0.5", "\"x\""},
                                   {"\"schema\": 1", "\"schema\": 2"},
                                   {"{", "["}}) {
    text = good;
    text.replace(text.find(what), std::string_view(what).size(), with);
    EXPECT_EQ(find_resolution(disk, "/cache", machine()), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace assay
