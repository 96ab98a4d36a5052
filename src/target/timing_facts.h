// What of a machine decides how well it can time: what the kernel shows of it, and nothing guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/json.h"

namespace assay {

inline constexpr const char* kCpusFolder = "/sys/devices/system/cpu";

// Absent: the kernel does not show it here, as in most virtual machines.
struct TimingFacts {
  int core = 0;  // where candidates with one thread are timed; what follows is of it, or of all
  std::optional<std::string> governor;      // what decides on its clock
  std::optional<bool> boost;                // clocks above the nominal one, while heat allows
  std::optional<bool> smt;                  // cores have several threads of hardware
  std::vector<int> siblings;                // the others of this one
  std::optional<std::string> huge_pages;    // always, madvise, never
  std::optional<std::string> clock_source;  // what the system's clock reads
  std::optional<int64_t> throttles;         // since the system started: slowed down for heat
  std::optional<bool> is_isolated;          // the scheduler sends nobody there
  std::optional<double> load;               // that want to run, on average over the last minute
  std::optional<double> pressure_percent;   // of the last 10 s: somebody waited for a core
  std::optional<double> steal_percent;      // since the system started: the host had the cores
  std::optional<bool> is_virtual;           // a virtual machine
  std::optional<bool> real_time;            // this process may run before all others
};

// As far as files say it: all but `real_time`.
TimingFacts timing_facts(const Disk& disk, int core);
TimingFacts timing_facts_of_this_machine();

// What belongs to a record of what was timed: what stays as long as nobody changes it.
Json to_json(const TimingFacts& facts);

// What a file of the kernel says: its line, or, where it lists what could be, what is ("a [b] c").
std::optional<std::string> setting_in(const Disk& disk, const std::string& path);

}  // namespace assay
