// Threads that do the same work at the same time, each on a core of its own.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/cores.h"

namespace assay {

class Crew {
 public:
  // On the last so many of the cores; this thread takes part on the last one, where candidates are
  // timed, and is bound to it as long as the crew lives.
  Crew(const std::vector<int>& cores, int threads);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  int threads() const { return static_cast<int>(cpu_ns_.size()); }
  // Has the first so many threads do it, and returns the CPU time of the one that took longest: the
  // wait for a core that somebody else has is not in it.
  int64_t run(int threads, const std::function<void(int thread)>& work);

 private:
  void work_as(int thread);
  void serve(int thread, int core);

  OnCore bound_;
  std::vector<int64_t> cpu_ns_;
  std::barrier<> begins_, ends_;
  std::atomic<int> missing_ = 0;  // of those that begin together
  int working_ = 0;
  const std::function<void(int)>* work_ = nullptr;  // none: it is over
  std::vector<std::thread> others_;
};

}  // namespace assay
