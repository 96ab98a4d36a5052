#pragma once

#include <cstdint>

#include "base/disk.h"

namespace assay {

// How much memory the machine has, and has left. An interface so that a test can run out of it.
class MemoryGauge {
 public:
  virtual ~MemoryGauge() = default;
  // What processes could still take before anything is swapped out. Where a control group allows
  // less than the machine has, that counts.
  virtual uint64_t available_bytes() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

// Reads /proc/meminfo and, in a control group of version 2, its limit. What cannot be read counts
// as unlimited.
class SystemMemory final : public MemoryGauge {
 public:
  explicit SystemMemory(const Disk& disk) : disk_(disk) {}
  uint64_t available_bytes() const override;
  uint64_t total_bytes() const override;

 private:
  const Disk& disk_;
};

}  // namespace assay
