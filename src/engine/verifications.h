#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/task.h"
#include "sandbox/switchboard.h"
#include "verify/verify.h"

namespace assay {

// Verifications under way, each a procedure on a thread of its own that talks with its children by
// way of the spawner's thread, which is the one that calls all this.
class Verifications {
 public:
  explicit Verifications(Spawner& spawner) : spawner_(spawner), switchboard_(spawner) {}
  ~Verifications() { end_all(); }

  Switchboard& switchboard() { return switchboard_; }
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
  std::list<std::unique_ptr<Running>> running_;
};

}  // namespace assay
