#pragma once

#include "engine/memory_account.h"
#include "engine/procedures.h"
#include "verify/verify.h"

namespace assay {

// Verifications under way. `About` says of what each is.
template <class About>
class Verifications : public Procedures<About, Result<Verified>> {
  using Base = Procedures<About, Result<Verified>>;

 public:
  // The libraries must outlive it.
  Verifications(Spawner& spawner, const MemoryGauge& gauge, const Clock& clock,
                NativeLibraries& libraries)
      : Base(spawner),
        libraries_(libraries),
        memory_(gauge, clock, [&spawner] { spawner.wake(); }) {}
  ~Verifications() { end_all(); }

  MemoryAccount& memory() { return memory_; }

  // The tools must outlive it.
  void start(About about, VerifyJob job, const VerifyTools& tools) {
    Base::start(std::move(about), [this, job = std::move(job), &tools](Children& children) {
      return verify(job, tools, children, memory_, libraries_);
    });
  }

  // Interrupts all, and waits until they have unwound.
  void end_all() {
    memory_.interrupt();
    Base::end_all();
  }

 private:
  NativeLibraries& libraries_;
  MemoryAccount memory_;
};

}  // namespace assay
