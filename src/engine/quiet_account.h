#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include "measure/quiet_gate.h"

namespace assay {

// Lets measurements have the machine, one at a time.
class QuietAccount final : public QuietGate {
 public:
  // `wake` has the spawner's thread call serve() soon.
  explicit QuietAccount(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Of a measurement's thread.
  Status enter() override;
  void leave() override;

  // Of the spawner's thread: lets one in where all that is at work, so many, waits here.
  void serve(size_t at_work);
  // Then nothing is to be started.
  bool is_taken() const;
  // Somebody waits, or has it.
  bool is_wanted() const;
  // From now on all who ask, and who wait, fail.
  void interrupt();

 private:
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t waiting_ = 0;
  bool free_ = false;  // for the next of those who wait
  bool taken_ = false;
  bool interrupted_ = false;
};

}  // namespace assay
