// How small a difference this machine can decide, tried: a small native kernel is timed against
// itself, in windows as they are of candidates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/status.h"
#include "model/window_record.h"
#include "sandbox/children.h"

namespace assay {

struct ResolutionJob {
  Image runner;        // assay-native-runner
  Limits limits;       // with the jail
  std::string kernel;  // bytes of the library: probe_kernel_main.cc
};

// Medians over all windows; CPU time where nothing else is said.
struct Resolution {
  int64_t null_wall_ns = 0, null_cpu_ns = 0;  // a window in which nothing is called
  int64_t call_ns = 0, window_ns = 0;         // that count
  int launches = 0;                           // that were held
  int64_t launch_ns = 0;                      // on the wall, of two processes with all windows
  int in_a_minute = 0;                        // launches that a decision may have, 24 at most
  // The scatter between launches: half the interval after so many, as ln of a ratio.
  double scatter = 0;
  double window_cost = 0;  // what windows themselves may hide, likewise

  // ln of the smallest ratio that is decided nearly always: beyond the dead band and that cost as
  // far as the interval is wide. At half of that, its estimate is too near every second time.
  double smallest() const;
};

// Takes the timing lock; about ten seconds. Blocks: to be called on a thread of its own. `go_on` is
// asked while it waits for the lock.
Result<Resolution> measure_resolution(const ResolutionJob& job, Children& children,
                                      const std::function<Status()>& go_on);

// From the windows of so many launches of equal programs, side 0 and side 1: null ones, and pairs.
// Fails where none of them took any time.
Result<Resolution> resolution_of(std::span<const WindowRecord> windows, int launches,
                                 int64_t launch_ns);

}  // namespace assay
