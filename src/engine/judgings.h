#pragma once

#include "engine/judging.h"
#include "engine/memory_account.h"
#include "engine/procedures.h"
#include "engine/quiet_account.h"

namespace assay {

// Candidates that are being judged. `About` says of what each is.
template <class About>
class Judgings : public Procedures<About, Result<Judging>> {
  using Base = Procedures<About, Result<Judging>>;

 public:
  // The libraries must outlive it.
  Judgings(Spawner& spawner, const MemoryGauge& gauge, const Clock& clock,
           NativeLibraries& libraries)
      : Base(spawner),
        libraries_(libraries),
        memory_(gauge, clock, [&spawner] { spawner.wake(); }),
        quiet_([&spawner] { spawner.wake(); }) {}
  ~Judgings() { end_all(); }

  MemoryAccount& memory() { return memory_; }
  QuietAccount& quiet() { return quiet_; }

  // The tools must outlive it.
  void start(About about, JudgingJob job, const VerifyTools& tools) {
    Base::start(std::move(about), [this, job = std::move(job), &tools](Children& children) {
      return judge_candidate(job, tools, children, memory_, libraries_, quiet_);
    });
  }

  // Interrupts all, and waits until they have unwound.
  void end_all() {
    memory_.interrupt();
    quiet_.interrupt();
    Base::end_all();
  }

 private:
  NativeLibraries& libraries_;
  MemoryAccount memory_;
  QuietAccount quiet_;
};

}  // namespace assay
