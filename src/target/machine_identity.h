#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "target/cache_levels.h"

namespace assay {

// What has to be the same for a calibration to hold.
struct MachineIdentity {
  std::string cpu;         // the model's name
  std::string cpu_sha256;  // of all that a compiler can see of it (host_cpu_identity())
  std::string kernel;      // its release
  std::vector<int> cores;  // that this process may run on, by the system's numbers
  int threads = 1;         // that it may keep busy: fewer where a control group allows less time
  std::vector<CacheLevel> caches;

  bool operator==(const MachineIdentity&) const = default;
};

MachineIdentity identity_of_this_machine();

// What of it is not as it was, for people: "the kernel was 6.1, and is 6.2"; "" where nothing is.
std::string difference(const MachineIdentity& then, const MachineIdentity& now);

Json to_json(const MachineIdentity& machine);
Result<MachineIdentity> machine_identity_from_json(const Json& json);

}  // namespace assay
