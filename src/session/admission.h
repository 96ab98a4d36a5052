#pragma once

#include <algorithm>
#include <cstdint>

#include "base/memory_gauge.h"

namespace assay {

// Keeps the machine from swapping itself to death: children are started only while there is memory
// to spare, and when it runs short nevertheless, the largest is ended and run again later, alone.
//
// A child's own limit (--memory) is another matter: it holds however much memory there is.
class Admission {
 public:
  explicit Admission(const MemoryGauge& gauge)
      : gauge_(gauge), reserve_bytes_(reserve(gauge.total_bytes())) {}

  // With less than this left, something has to go. A tenth: what a child can take between two
  // looks (10 a second, at some GB a second) must fit into it.
  uint64_t reserve_bytes() const { return reserve_bytes_; }
  // `young` are the children that have not yet taken what they will take.
  bool may_start(size_t young) const {
    return gauge_.available_bytes() > 2 * reserve_bytes_ + young * kGrowthBytes;
  }
  static constexpr uint64_t kGrowthBytes = uint64_t{512} << 20;  // what most exports stay under
  static constexpr int64_t kYoungNs = 1'000'000'000;
  bool ran_short() const { return gauge_.available_bytes() < reserve_bytes_; }

 private:
  static uint64_t reserve(uint64_t total) {
    constexpr uint64_t kLeast = uint64_t{256} << 20;
    constexpr uint64_t kMost = uint64_t{4} << 30;
    return std::clamp(total / 10, kLeast, kMost);
  }

  const MemoryGauge& gauge_;
  uint64_t reserve_bytes_;
};

}  // namespace assay
