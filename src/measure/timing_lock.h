#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// Held while windows are timed: by one process of this machine at a time, whoever runs it. What
// else the others do, compile or verify, nobody can forbid them.
class TimingLock {
 public:
  // Blocks. `go_on` is asked now and then, and ends the wait with its error.
  static Result<TimingLock> take(const std::function<Status()>& go_on);
  // In a file of the tests' own.
  static Result<TimingLock> take(const std::string& path, const std::function<Status()>& go_on);

 private:
  explicit TimingLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;  // the lock goes with it, however the process ends
};

}  // namespace assay
