// Stopping all of a jailed worker's processes at once, and their CPU time: the ends of a window.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// What a jail has used, by clocks that the kernel keeps apart.
struct JailTimes {
  int64_t cpu_ns = 0;  // of all the processes that are or were below the keeper: Freezer::cpu_ns()
  // By the processes' own clocks, of those that are there now, with their threads that have ended.
  // Nothing where there is only one clock.
  std::optional<int64_t> process_cpu_ns;
  // For so long threads that are there now could have run, and others had their core. 0 where the
  // kernel does not say.
  int64_t waited_ns = 0;
};

// Of one child. May be called from any thread, one call at a time. The spawner closes it when it
// ends the child, or the child has ended by itself: from then on every call fails, at once.
class Freezer {
 public:
  virtual ~Freezer() = default;

  // Returns when nothing below the keeper runs any more: what it writes to memory it has written.
  Status freeze();
  Status thaw();
  // CPU time of all the processes that are or were below the keeper, user and system. Of the
  // keeper's way (L2, L1), what a process used that another than the keeper has waited for comes in
  // steps of a clock tick.
  Result<int64_t> cpu_ns();
  // The same and what else there is; costs tens of microseconds more.
  Result<JailTimes> times();

  // The spawner's: thaws, and lets no freeze() follow.
  void close();

 protected:
  virtual Status stop() = 0;
  virtual Status go_on() = 0;
  virtual Result<int64_t> measure() = 0;
  // What times() has beside that.
  virtual void add_other_clocks(JailTimes&) {}

 private:
  Status check_open() const;

  std::mutex mutex_;
  bool closed_ = false;
  bool frozen_ = false;
};

// By a control group: of version 2 where `folder` has cgroup.freeze, else of version 1's freezer,
// with `cpu_file` its cpuacct.usage. It keeps its files open.
Result<std::shared_ptr<Freezer>> group_freezer(const std::string& folder,
                                               const std::string& cpu_file);

// By asking the keeper through its socket.
std::shared_ptr<Freezer> keeper_freezer(UniqueFd socket);

}  // namespace assay
