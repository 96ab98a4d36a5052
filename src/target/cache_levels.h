#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/disk.h"

namespace assay {

// One level of a core's caches, of those that hold data.
struct CacheLevel {
  int level = 0;  // 1 is the nearest
  uint64_t bytes = 0;
  std::optional<int> shared_by;  // cores that have it together; absent: nobody says

  bool operator==(const CacheLevel&) const = default;
};

// Those of the first core, the nearest first, as the kernel shows them in sysfs. Empty where it
// does not. A virtual machine's may be larger than what it gets.
std::vector<CacheLevel> cache_levels(const Disk& disk);

// The same, and what the C library knows where sysfs has none.
std::vector<CacheLevel> cache_levels_of_this_machine();

}  // namespace assay
