#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "measure/quiet_gate.h"

namespace assay {

// Lets measurements have the machine, one at a time. Several wait until nothing else is at work,
// and then have it one after the other: so all cores are busy with what comes before.
class QuietAccount final : public QuietGate {
 public:
  // `wake` has the spawner's thread call serve() soon.
  // `lock`: the name that all assays of a machine take turns by. `folder`: of a run, where there is
  // one, whose watchers stand still meanwhile.
  explicit QuietAccount(std::function<void()> wake, std::string lock = TimingLock::usual_name(),
                        std::string folder = "")
      : wake_(std::move(wake)), lock_(std::move(lock)), folder_(std::move(folder)) {}

  // Of a measurement's thread.
  Status enter() override;
  void leave() override;
  Result<TakenMachine> take_machine() override;

  // Of the spawner's thread: lets one in where all that is at work, so many, waits here.
  void serve(size_t at_work);
  // Then nothing is to be started.
  bool is_taken() const;
  // Whether something may be started: nobody has it, or is about to, and who waits can wait.
  bool lets_start() const;
  // So many wait, and are not at work.
  size_t waiting() const;
  // Somebody has waited for another assay of this machine, for so long that a person would wonder.
  bool has_waited_for_others() const;
  // From now on all who ask, and who wait, fail.
  void interrupt();

  // Each holds the memory that it needs, and processes that stand still.
  static constexpr size_t kMostWaiting = 16;

 private:
  std::function<void()> wake_;
  std::string lock_;
  std::string folder_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t waiting_ = 0;
  bool free_ = false;  // for the next of those who wait
  bool taken_ = false;
  bool one_after_the_other_ = false;  // somebody had it, and others wait for their turn
  bool interrupted_ = false;
  bool has_waited_for_others_ = false;
};

}  // namespace assay
