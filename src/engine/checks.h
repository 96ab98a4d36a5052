// Looks at problems, several at once: `assay list workloads --check`.
#pragma once

#include <functional>
#include <span>

#include "base/disk.h"
#include "engine/suite.h"
#include "verify/lint.h"

namespace assay {

struct CheckSettings {
  VerifyTools tools;
  size_t jobs = 1;
  std::string mode = "eval";
  Precision precision = Precision::f32;
  int64_t timeout_ns = 0;
  uint64_t memory_bytes = 0;
};

// Calls `tell` for each workload in their order, as soon as it and all before it are known. Fails
// with Code::interrupted, and where assay itself cannot go on; then no child is left.
Status check_workloads(const Disk& disk, Spawner& spawner, std::span<const Workload> workloads,
                       const CheckSettings& settings,
                       const std::function<void(const Workload&, const Lint&)>& tell);

}  // namespace assay
