#include "target/mend_timing.h"

#include <fcntl.h>

#include <algorithm>
#include <sstream>

#include "base/unique_fd.h"
#include "target/timing_facts.h"

namespace assay {
namespace {

// Where it is there, and is something else.
void add(std::vector<TimingMend>& mends, const Disk& disk, const std::string& path,
         const std::string& to) {
  auto from = setting_in(disk, path);
  if (from && *from != to) mends.push_back({path, *from, to});
}

// Whether a governor is there to be chosen. Where no list is, it is tried.
bool is_offered(const Disk& disk, const std::string& folder, const std::string& governor) {
  auto text = disk.read(join_path(folder, "scaling_available_governors"));
  if (!text) return true;
  std::istringstream words(*text);
  for (std::string word; words >> word;)
    if (word == governor) return true;
  return false;
}

}  // namespace

std::vector<TimingMend> timing_mends(const Disk& disk) {
  std::vector<TimingMend> mends;
  if (auto entries = disk.list(kCpusFolder))
    for (const DirectoryEntry& entry : *entries) {
      const std::string folder = join_path(join_path(kCpusFolder, entry.name), "cpufreq");
      const std::string number = entry.name.substr(std::min<size_t>(entry.name.size(), 3));
      const bool is_core = entry.name.starts_with("cpu") && !number.empty() &&
                           number.find_first_not_of("0123456789") == std::string::npos;
      if (is_core && is_offered(disk, folder, "performance"))
        add(mends, disk, join_path(folder, "scaling_governor"), "performance");
    }
  add(mends, disk, "/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
  const std::string turbo = join_path(kCpusFolder, "intel_pstate/no_turbo");
  if (disk.exists(turbo))
    add(mends, disk, turbo, "1");
  else
    add(mends, disk, join_path(kCpusFolder, "cpufreq/boost"), "0");
  return mends;
}

Status write_setting(const std::string& path, const std::string& value) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || !write_all(file.get(), value))
    return errno_error("write '" + value + "' to '" + path + "'",
                       "as root: sudo assay doctor --fix");
  return {};
}

Status apply(const TimingMend& mend, const Disk& disk, const WriteSetting& write) {
  ASSAY_TRY(write(mend.path, mend.to));
  auto now = setting_in(disk, mend.path);
  if (now == mend.to) return {};
  return error(Code::unavailable,
               "'" + mend.path + "' stays '" + now.value_or("") + "' after '" + mend.to +
                   "' was written to it",
               "the machine's firmware or another program decides on it");
}

}  // namespace assay
