#include "base/memory_gauge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/control_group.h"

namespace assay {
namespace {

std::optional<uint64_t> meminfo_bytes(const Disk& disk, std::string_view name) {
  auto text = disk.read("/proc/meminfo");
  auto kib = text ? number_after(*text, name) : std::nullopt;
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

struct GroupMemory {
  uint64_t limit_bytes = UINT64_MAX;
  uint64_t left_bytes = UINT64_MAX;
};

// The tightest limit from our control group up to the root.
GroupMemory group_memory(const Disk& disk) {
  GroupMemory memory;
  for (const std::string& folder : control_groups(disk)) {
    auto limit = disk.read(join_path(folder, "memory.max"));
    auto used = disk.read(join_path(folder, "memory.current"));
    auto statistics = disk.read(join_path(folder, "memory.stat"));
    auto limit_bytes = limit ? number_after(*limit, "") : std::nullopt;  // "max" is no number
    auto used_bytes = used ? number_after(*used, "") : std::nullopt;
    if (!limit_bytes || !used_bytes) continue;
    // Cached files are given back when memory is wanted.
    uint64_t cached = 0;
    for (const char* kind : {"inactive_file", "active_file", "slab_reclaimable"})
      if (statistics) cached += number_after(*statistics, std::string(kind) + " ").value_or(0);
    uint64_t held = *used_bytes - std::min(cached, *used_bytes);
    memory.limit_bytes = std::min(memory.limit_bytes, *limit_bytes);
    memory.left_bytes = std::min(memory.left_bytes, *limit_bytes - std::min(held, *limit_bytes));
  }
  return memory;
}

}  // namespace

uint64_t SystemMemory::available_bytes() const {
  return std::min(meminfo_bytes(disk_, "MemAvailable:").value_or(UINT64_MAX),
                  group_memory(disk_).left_bytes);
}

uint64_t SystemMemory::total_bytes() const {
  return std::min(meminfo_bytes(disk_, "MemTotal:").value_or(UINT64_MAX),
                  group_memory(disk_).limit_bytes);
}

}  // namespace assay
