#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/control_group.h"

namespace assay {
namespace {

int bound_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more cores than the set has room for.
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

int usable_cores(const Disk& disk) {
  int cores = bound_cores();
  for (const std::string& folder : control_groups(disk)) {
    auto text = disk.read(join_path(folder, "cpu.max"));
    if (!text) continue;
    // "quota period", both in microseconds; a quota of "max" is no number.
    std::istringstream fields(*text);
    double quota_us = 0, period_us = 0;
    if (fields >> quota_us >> period_us && quota_us > 0 && period_us > 0)
      cores = std::min(cores, static_cast<int>(quota_us / period_us + 0.999));
  }
  return std::max(cores, 1);
}

}  // namespace assay
