#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// Held while windows are timed: by one process of this machine at a time, whoever runs it. What
// else the others do, compile or verify, nobody can forbid them.
//
// It is a name in the system's abstract namespace of sockets, which one process can have bound: no
// file, which one user could not open and another remove. It is free when the process that has it
// ends, however it does. Containers with a network of their own have names of their own.
class TimingLock {
 public:
  // That all assays of this machine take turns by.
  static std::string usual_name() { return "assay-timing"; }
  // Blocks. `go_on` is asked now and then, and ends the wait with its error.
  static Result<TimingLock> take(const std::string& name, const std::function<Status()>& go_on);

 private:
  explicit TimingLock(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

}  // namespace assay
