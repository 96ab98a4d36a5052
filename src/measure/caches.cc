#include "measure/caches.h"

#include <unistd.h>

#include <algorithm>

namespace assay {
namespace {

constexpr uint64_t kLine = 64;
constexpr uint64_t kUsualLastLevelBytes = uint64_t{32} << 20;
constexpr uint64_t kMostLastLevelBytes = uint64_t{512} << 20;

}  // namespace

uint64_t last_level_bytes() {
  for (int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long bytes = ::sysconf(level); bytes > 0)
      return std::min(static_cast<uint64_t>(bytes), kMostLastLevelBytes);
  return kUsualLastLevelBytes;
}

Caches::Caches() : memory_(2 * last_level_bytes()) {}

void Caches::replace() {
  volatile std::byte* memory = memory_.data();
  for (size_t at = 0; at < memory_.size(); at += kLine) memory[at] = memory[at] ^ std::byte{1};
}

}  // namespace assay
