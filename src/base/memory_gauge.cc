#include "base/memory_gauge.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace assay {
namespace {

constexpr std::string_view kGroups = "/sys/fs/cgroup";

std::optional<uint64_t> number_after(const std::string& text, std::string_view name) {
  size_t at = 0;
  if (!text.starts_with(name)) {
    at = text.find("\n" + std::string(name));
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  at = text.find_first_not_of(" \t", at + name.size());
  if (at == std::string::npos) return std::nullopt;
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return failed == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<uint64_t> meminfo_bytes(const Disk& disk, std::string_view name) {
  auto text = disk.read("/proc/meminfo");
  auto kib = text ? number_after(*text, name) : std::nullopt;
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

// The folder of the control group this process is in: "0::/a/b" in /proc/self/cgroup.
std::string group_folder(const Disk& disk) {
  auto text = disk.read("/proc/self/cgroup");
  if (!text) return "";
  size_t at = text->starts_with("0::") ? 0 : text->find("\n0::");
  if (at == std::string::npos) return "";
  at = text->find("::", at) + 2;
  return join_path(kGroups, text->substr(at + 1, text->find('\n', at) - at - 1));
}

struct GroupMemory {
  uint64_t limit_bytes = UINT64_MAX;
  uint64_t left_bytes = UINT64_MAX;
};

// The tightest limit from our control group up to the root.
GroupMemory group_memory(const Disk& disk) {
  GroupMemory memory;
  std::string folder = group_folder(disk);
  while (folder.size() >= kGroups.size()) {
    auto limit = disk.read(join_path(folder, "memory.max"));
    auto used = disk.read(join_path(folder, "memory.current"));
    auto statistics = disk.read(join_path(folder, "memory.stat"));
    auto limit_bytes = limit ? number_after(*limit, "") : std::nullopt;  // "max" is no number
    auto used_bytes = used ? number_after(*used, "") : std::nullopt;
    if (limit_bytes && used_bytes) {
      // Cached files are given back when memory is wanted.
      uint64_t cached = 0;
      for (const char* kind : {"inactive_file", "active_file", "slab_reclaimable"})
        if (statistics) cached += number_after(*statistics, std::string(kind) + " ").value_or(0);
      uint64_t held = *used_bytes - std::min(cached, *used_bytes);
      memory.limit_bytes = std::min(memory.limit_bytes, *limit_bytes);
      memory.left_bytes = std::min(memory.left_bytes, *limit_bytes - std::min(held, *limit_bytes));
    }
    size_t slash = folder.find_last_of('/');
    if (slash == std::string::npos || slash < kGroups.size()) break;
    folder.resize(slash);
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
