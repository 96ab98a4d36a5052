#pragma once

#include <utility>

#include "base/status.h"
#include "measure/timing_lock.h"
#include "measure/watchers.h"

namespace assay {

// While it lasts, no other assay times, and nobody who watches the run does anything.
struct TakenMachine {
  TimingLock lock;
  StoppedWatchers watchers;
};

// Where a measurement asks for the machine, once it has made ready all that needs none: nothing
// else of assay runs while it has it.
class QuietGate {
 public:
  virtual ~QuietGate() = default;
  // Blocks until all others have ended, or wait here as well. Fails with Code::interrupted once the
  // user interrupts. From any thread.
  virtual Status enter() = 0;
  virtual void leave() = 0;
  // Of who has entered: blocks until no other assay on this machine times. Fails as enter() does.
  virtual Result<TakenMachine> take_machine() = 0;
};

// Of who has entered: leaves by itself.
class QuietPass {
 public:
  static Result<QuietPass> enter(QuietGate& gate) {
    ASSAY_TRY(gate.enter());
    return QuietPass(gate);
  }
  QuietPass(QuietPass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
  QuietPass& operator=(QuietPass&&) = delete;
  ~QuietPass() {
    if (gate_ != nullptr) gate_->leave();
  }

 private:
  explicit QuietPass(QuietGate& gate) : gate_(&gate) {}
  QuietGate* gate_;
};

}  // namespace assay
