#include "target/cache_levels.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/cores.h"
#include "base/units.h"

namespace assay {
namespace {

constexpr const char* kFolder = "/sys/devices/system/cpu/cpu0/cache";

// Without the end of its line.
std::string line_of(const Disk& disk, const std::string& path) {
  auto text = disk.read(path);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::vector<CacheLevel> from_the_c_library() {
  std::vector<CacheLevel> levels;
  int level = 0;
  for (int name : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                   _SC_LEVEL4_CACHE_SIZE}) {
    ++level;
    if (const long bytes = ::sysconf(name); bytes > 0)
      levels.push_back({level, static_cast<uint64_t>(bytes), std::nullopt});
  }
  return levels;
}

}  // namespace

std::vector<CacheLevel> cache_levels(const Disk& disk) {
  std::vector<CacheLevel> levels;
  auto entries = disk.list(kFolder);
  if (!entries) return levels;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with("index")) continue;
    const std::string folder = join_path(kFolder, entry.name);
    const std::string type = line_of(disk, join_path(folder, "type"));
    const std::string level = line_of(disk, join_path(folder, "level"));
    auto bytes = parse_bytes(line_of(disk, join_path(folder, "size")));
    const bool is_level = level.size() == 1 && level >= "1" && level <= "9";
    if ((type != "Data" && type != "Unified") || !is_level || !bytes) continue;
    const auto cores = parse_core_list(line_of(disk, join_path(folder, "shared_cpu_list")));
    levels.push_back(
        {level[0] - '0', *bytes,
         cores.empty() ? std::nullopt : std::optional(static_cast<int>(cores.size()))});
  }
  std::ranges::sort(levels, {}, &CacheLevel::level);
  return levels;
}

std::vector<CacheLevel> cache_levels_of_this_machine() {
  std::vector<CacheLevel> levels = cache_levels(system_disk());
  return levels.empty() ? from_the_c_library() : levels;
}

}  // namespace assay
