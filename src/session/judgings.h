#pragma once

#include "session/judging.h"
#include "session/memory_account.h"
#include "session/procedures.h"
#include "session/quiet_account.h"

namespace assay {

// Candidates that are being judged. `About` says of what each is.
template <class About>
class Judgings : public Procedures<About, Result<Judging>> {
  using Base = Procedures<About, Result<Judging>>;

 public:
  // The libraries must outlive it. `folder`: of a run, where there is one.
  Judgings(Spawner& spawner, const MemoryGauge& gauge, const Clock& clock,
           NativeLibraries& libraries, std::string folder = "")
      : Base(spawner),
        spawner_(spawner),
        libraries_(libraries),
        memory_(gauge, clock, [&spawner] { spawner.wake(); }),
        quiet_([&spawner] { spawner.wake(); }, TimingLock::usual_name(), std::move(folder)) {}
  ~Judgings() { end_all(); }

  MemoryAccount& memory() { return memory_; }
  QuietAccount& quiet() { return quiet_; }

  // Of the spawner's thread, after every Spawner::next(). `others`: children at work that belong to
  // none of these. Images are renewed only while nothing is timed, and nothing is timed while one
  // comes up: that takes a core for seconds.
  void serve(size_t others) {
    Base::serve();
    if (!quiet_.is_taken()) {
      memory_.serve(others > 0);  // who gets it is at work
      spawner_.renew();
    }
    quiet_.serve(this->count() - memory_.waiting() + others + spawner_.coming_up());
  }

  // That are at work: others wait, for the machine.
  size_t at_work() const { return this->count() - quiet_.waiting(); }

  void start(About about, JudgingJob job, VerifyTools tools) {
    Base::start(std::move(about),
                [this, job = std::move(job), tools = std::move(tools)](Children& children) {
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
  Spawner& spawner_;
  NativeLibraries& libraries_;
  MemoryAccount memory_;
  QuietAccount quiet_;
};

}  // namespace assay
