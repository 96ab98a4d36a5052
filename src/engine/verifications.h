#pragma once

#include "engine/memory_account.h"
#include "engine/procedures.h"
#include "engine/task.h"
#include "verify/verify.h"

namespace assay {

// Verifications under way.
class Verifications : public Procedures<Task, Result<Verified>> {
 public:
  // The libraries must outlive it.
  Verifications(Spawner& spawner, const MemoryGauge& gauge, const Clock& clock,
                NativeLibraries& libraries)
      : Procedures(spawner),
        libraries_(libraries),
        memory_(gauge, clock, [&spawner] { spawner.wake(); }) {}
  ~Verifications() { end_all(); }

  MemoryAccount& memory() { return memory_; }

  // The tools must outlive it.
  void start(Task task, VerifyJob job, const VerifyTools& tools) {
    Procedures::start(std::move(task), [this, job = std::move(job), &tools](Children& children) {
      return verify(job, tools, children, memory_, libraries_);
    });
  }

  // Interrupts all, and waits until they have unwound.
  void end_all() {
    memory_.interrupt();
    Procedures::end_all();
  }

 private:
  NativeLibraries& libraries_;
  MemoryAccount memory_;
};

}  // namespace assay
