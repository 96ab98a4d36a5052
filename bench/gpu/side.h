// A candidate's process, as the judge holds it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "control.h"
#include "jail.h"

namespace assay::gpu {

enum class Freeze { none, stop, cgroup };

class Side {
 public:
  struct Plan {
    uint32_t elements = 1;
    uint32_t slots = 1;
    int arena_fd = -1;  // exported memory of ArenaLayout{elements, slots}
    JailOptions jail{};
    int64_t patience_ns = 15'000'000'000;
    std::vector<std::string> command{};  // empty: this program's candidate
    bool waits = true;                   // until it is ready; else await_ready is to be called
  };
  // Starts one and waits until it is ready, or has failed: `problem` says why then.
  explicit Side(const Plan& plan);
  ~Side();
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void await_ready();

  const std::string& problem() const { return problem_; }
  // It may be asked for something again.
  void forgive();
  int64_t ready_ns() const { return ready_ns_; }
  pid_t pid() const { return jailed_.pid(); }
  ControlPage& page() { return *page_; }
  Seen seen() { return jailed_.seen(); }

  // Opens a window; thaws where it was frozen.
  void go(Act act);
  // True once it says that it is done; false when the time is up, or it has failed or ended.
  bool wait(int64_t patience_ns = 6'000'000'000);
  // Both, and ends the program where it fails.
  void call(Act act);
  // As call; false where it has failed, and `problem` says why.
  bool try_call(Act act, int64_t patience_ns = 6'000'000'000);

  void freeze();
  void thaw();
  bool frozen() const { return frozen_; }
  void freeze_by(Freeze kind, std::string cgroup = "");
  // Kills it, and waits for its end. Nothing of a process that has ended.
  void kill();
  bool ended();

 private:
  Jailed jailed_;
  ControlPage* page_ = nullptr;
  int page_fd_ = -1;
  std::string problem_;
  int64_t ready_ns_ = 0;
  int64_t begin_ns_ = 0, patience_ns_ = 0;
  uint32_t window_ = 0;
  bool frozen_ = false;
  bool over_ = false;
  Freeze kind_ = Freeze::stop;
  std::string cgroup_;
};

// Runs the process of a candidate: the other end of a Side. Descriptors 3 and 4 are the page and
// a socket over which the memory comes.
[[noreturn]] void run_candidate();

}  // namespace assay::gpu
