// A machine whose peaks are round numbers.
#pragma once

#include "target/calibration.h"

namespace assay {

// One core: 32 KiB of cache at 100 GB/s, memory at 10 GB/s; 50 GFLOP/s in f32.
inline Calibration fake_calibration() {
  Calibration made{"0.1.0", "2026-01-31T09:30:00Z", {}, {}, {}};
  made.machine = {"CPU", "ab12", "6.1", {0}, 1, {{1, 32 << 10, 1}}};
  made.compute.push_back({"f32", 1, {5e10, 5e10, 15, "FMA"}});
  for (const auto& [level, rate] :
       {std::pair(std::optional(1), 1e11), std::pair(std::optional<int>(), 1e10)})
    made.memory.push_back({level, Access::read, 1, 6144, {rate, rate, 15, "64 bytes"}});
  return made;
}

}  // namespace assay
