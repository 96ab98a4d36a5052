#include "measure/crew.h"

#include <algorithm>

#include "base/clock.h"

namespace assay {

Crew::Crew(const std::vector<int>& cores, int threads)
    : bound_(cores.empty() ? 0 : cores.back()),
      cpu_ns_(static_cast<size_t>(std::max(threads, 1))),
      begins_(std::max(threads, 1)),
      ends_(std::max(threads, 1)) {
  for (int thread = 1; thread < threads; ++thread) {
    const size_t from_end = static_cast<size_t>(thread) % std::max<size_t>(cores.size(), 1);
    const int core = cores.empty() ? 0 : cores[cores.size() - 1 - from_end];
    others_.emplace_back([this, thread, core] { serve(thread, core); });
  }
}

Crew::~Crew() {
  work_ = nullptr;
  begins_.arrive_and_wait();
  for (std::thread& other : others_) other.join();
}

int64_t Crew::run(int threads, const std::function<void(int)>& work) {
  working_ = threads;
  work_ = &work;
  missing_ = threads;
  if (threads > 1) begins_.arrive_and_wait();
  work_as(0);
  if (threads > 1) ends_.arrive_and_wait();
  return *std::max_element(cpu_ns_.begin(), cpu_ns_.begin() + threads);
}

void Crew::work_as(int thread) {
  // A barrier wakes them one after the other; the last of them begins it.
  --missing_;
  while (missing_ > 0) std::this_thread::yield();
  const int64_t begin_ns = thread_cpu_ns();
  (*work_)(thread);
  cpu_ns_[static_cast<size_t>(thread)] = thread_cpu_ns() - begin_ns;
}

void Crew::serve(int thread, int core) {
  const OnCore bound(core);
  while (true) {
    begins_.arrive_and_wait();
    if (work_ == nullptr) return;
    if (thread < working_) work_as(thread);
    ends_.arrive_and_wait();
  }
}

}  // namespace assay
