// How small a difference this machine decides, as `assay doctor --timing` found it last: kept in
// the cache's folder, and shown beside what a report says of speed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/disk.h"
#include "target/machine_identity.h"

namespace assay {

struct KeptResolution {
  std::string created;  // UTC
  double smallest = 0;  // as a share: 0.02 is 2 %
  int64_t call_ns = 0;  // of the kernel that was timed against itself

  bool operator==(const KeptResolution&) const = default;
};

Status keep_resolution(Disk& disk, const std::string& cache_folder, const MachineIdentity& machine,
                       const KeptResolution& found);
// Nothing where none is kept, or it is of another machine than this.
std::optional<KeptResolution> find_resolution(const Disk& disk, const std::string& cache_folder,
                                              const MachineIdentity& machine);
std::optional<KeptResolution> resolution_of_this_machine();

}  // namespace assay
