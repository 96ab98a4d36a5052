// Who shows a run while it goes on (`assay watch --port`) stands still while windows are open. They
// find each other by locks on a file in the run's folder, of which the kernel knows the holders: so
// nobody is stopped who has not asked for it, and nothing is left when one of them is killed.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// Held by a process that is to be stopped.
class WatcherPlace {
 public:
  static Result<WatcherPlace> take(const std::string& folder);

 private:
  explicit WatcherPlace(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// Held by who times: stops all that have a place, and has them go on when it goes.
class StoppedWatchers {
 public:
  // In a folder where nobody ever watched it does nothing.
  static StoppedWatchers stop(const std::string& folder);
  StoppedWatchers() = default;
  StoppedWatchers(StoppedWatchers&&) = default;
  StoppedWatchers& operator=(StoppedWatchers&&) = delete;
  ~StoppedWatchers();

  size_t count() const { return processes_.size(); }

 private:
  UniqueFd file_;
  std::vector<UniqueFd> processes_;  // pidfds
};

// Of the parent of a process that was stopped: blocks until nobody times, or who did was killed. A
// signal ends it, too.
void wait_until_nobody_times(const std::string& folder);

}  // namespace assay
