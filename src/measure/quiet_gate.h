#pragma once

#include "base/status.h"
#include "measure/timing_lock.h"

namespace assay {

// Where a measurement asks for the machine: nothing else of assay runs while it has it.
class QuietGate {
 public:
  virtual ~QuietGate() = default;
  // Blocks until all others have ended, or wait here as well. Fails with Code::interrupted once the
  // user interrupts. From any thread.
  virtual Status enter() = 0;
  virtual void leave() = 0;
  // Of who has entered: blocks until no other assay on this machine times. Fails as enter() does.
  virtual Result<TimingLock> take_machine() = 0;
};

}  // namespace assay
