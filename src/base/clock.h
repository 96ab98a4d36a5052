#pragma once

#include <cstdint>
#include <string>

namespace assay {

// Time as assay sees it. Tests put a clock here that they move by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic; meaningful only as a difference.
  virtual int64_t now_ns() const = 0;
  // Wall clock as RFC 3339 in UTC, "2026-01-31T09:30:00Z". May jump; never subtracted.
  virtual std::string utc() const = 0;
};

// The operating system's clocks. Lives as long as the process.
const Clock& system_clock();
// Microseconds since 1970, UTC. May jump.
int64_t utc_now_us();
inline int64_t now_ns() { return system_clock().now_ns(); }
// What the calling thread has had of a core.
int64_t thread_cpu_ns();

}  // namespace assay
