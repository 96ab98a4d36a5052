#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

// Memory to fill every cache of this core with.
class Caches {
 public:
  // Twice the last level's size, as the system has it.
  Caches();
  // Reads and writes all of it: whatever was in a cache has made room.
  void replace();

 private:
  std::vector<std::byte> memory_;
};

// The size of a core's last level of cache in bytes; a usual one where nobody says.
uint64_t last_level_bytes();

}  // namespace assay
