#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/memory_account.h"
#include "engine/task.h"
#include "sandbox/switchboard.h"
#include "verify/verify.h"

namespace assay {

// Verifications under way, each a procedure on a thread of its own that talks with its children by
// way of the spawner's thread, which is the one that calls all this.
class Verifications {
 public:
  Verifications(Spawner& spawner, const MemoryGauge& gauge, const Clock& clock)
      : spawner_(spawner),
        switchboard_(spawner),
        memory_(gauge, clock, [&spawner] { spawner.wake(); }) {}
  ~Verifications() { end_all(); }

  Switchboard& switchboard() { return switchboard_; }
  MemoryAccount& memory() { return memory_; }
  size_t count() const { return running_.size(); }

  void start(Task task, VerifyJob job, const VerifyTools& tools);

  // Those that are through, with what came of them.
  struct Ended {
    Task task;
    Result<Verified> verified;
  };
  std::vector<Ended> take_ended();

  // Interrupts all, and waits until they have unwound.
  void end_all();

 private:
  struct Running {
    Task task;
    std::thread thread;
    std::mutex mutex;
    std::optional<Result<Verified>> verified;  // set by the thread, as the last it does
  };

  Spawner& spawner_;
  Switchboard switchboard_;
  MemoryAccount memory_;
  std::list<std::unique_ptr<Running>> running_;
};

}  // namespace assay
