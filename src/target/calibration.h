// What this machine can do at most: operations and bytes a second, as `assay doctor --calibrate`
// has measured them, and kept in the cache's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/json.h"
#include "base/words.h"
#include "target/machine_identity.h"

namespace assay {

// How a loop goes through memory. All bytes count that it reads or writes.
enum class Access {
  read,
  write,
  copy,  // one half to the other
  add,   // two thirds to the third
};
inline constexpr Word<Access> kAccessWords[] = {
    {Access::read, "read"}, {Access::write, "write"}, {Access::copy, "copy"}, {Access::add, "add"}};

// The fastest of all kernels that were tried, over its repetitions.
struct PeakRate {
  double best = 0, median = 0;  // a second
  int repetitions = 0;
  std::string kernel;  // which, for people

  // By how much of the best the median falls short: 0 and on, below 1.
  double scatter() const { return 1 - median / best; }
  bool operator==(const PeakRate&) const = default;
};

struct ComputePeak {
  std::string dtype;  // as in a target's peaks: f64, f32, f16, bf16, i8
  int threads = 1;
  PeakRate operations;

  bool operator==(const ComputePeak&) const = default;
};

struct MemoryPeak {
  std::optional<int> level;  // of cache; absent: main memory
  Access access = Access::read;
  int threads = 1;
  uint64_t footprint_bytes = 0;  // that each thread went through
  PeakRate bytes;

  bool operator==(const MemoryPeak&) const = default;
};

// Peaks for one thread, and for as many as the machine keeps busy. Element types that the CPU has
// no instructions for are absent; main memory never is.
struct Calibration {
  std::string assay_version;
  std::string created;  // UTC
  MachineIdentity machine;
  std::vector<ComputePeak> compute;
  std::vector<MemoryPeak> memory;

  // Bytes a second at most, read and written together, of so many threads that work on so many
  // bytes, whichever way of access is fastest. Each level of cache holds as much as it has room for
  // (in as many of it as the threads have), the nearest first, and the rest comes from where it is
  // then: so with bytes that barely do not fit, most are still as fast as those that do. Of threads
  // between one and all what so many single ones, or all, would have, whichever is less.
  double bandwidth_at(uint64_t bytes, int threads) const;
  // Operations a second at most; absent: the CPU has no instructions for that type.
  std::optional<double> operations_per_second(std::string_view dtype, int threads) const;

  bool operator==(const Calibration&) const = default;
};

Json to_json(const Calibration& calibration);
// When it was made, and a hash of all of it: for people and records.
std::string identity_of(const Calibration& calibration);
// Refuses what is no whole calibration.
Result<Calibration> calibration_from_json(const Json& json);

// Where it is kept below the cache's folder.
std::string calibration_path(const std::string& cache_folder);

struct FoundCalibration {
  std::optional<Calibration> calibration;
  std::string note;  // why there is none; "": there is
};

// The one that was made on this machine, as it is `now`; another one is left alone, with a note.
// Fails where the file is damaged.
Result<FoundCalibration> find_calibration(const Disk& disk, const std::string& cache_folder,
                                          const MachineIdentity& now);
Status keep_calibration(Disk& disk, const std::string& cache_folder,
                        const Calibration& calibration);

}  // namespace assay
