#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <thread>

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

void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores) CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

std::vector<int> cores_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(thread, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

}  // namespace

std::vector<int> cores_of_this_thread() { return cores_of(0); }

void run_on_all_cores(const std::function<void(size_t part, size_t parts)>& work) {
  // Those of the process's first thread, which nobody binds.
  const std::vector<int> cores = cores_of(::getpid());
  if (cores.size() <= 1) return work(0, 1);
  std::vector<std::jthread> threads;
  for (size_t part = 0; part < cores.size(); ++part)
    threads.emplace_back([&, part] {
      bind_to(cores);
      work(part, cores.size());
    });
}

std::vector<int> parse_core_list(std::string_view text) {
  std::vector<int> cores;
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    int first = 0;
    auto [next, failed] = std::from_chars(at, end, first);
    if (failed != std::errc() || first < 0) return {};
    int last = first;
    if (next < end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc()) return {};
      next = range.ptr;
    }
    if (last < first || last >= CPU_SETSIZE || (next < end && *next != ',')) return {};
    for (int core = first; core <= last; ++core) cores.push_back(core);
    at = next + 1;
  }
  return cores;
}

OnCore::OnCore(int core) : before_(cores_of_this_thread()) { bind_to({core}); }

OnCore::~OnCore() {
  if (!before_.empty()) bind_to(before_);
}

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
