// Asks models in the background, many at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "provider/provider.h"

namespace assay {

// A question under way. The numbers are the caller's, and come back with the answer.
struct Asked {
  size_t search = 0;
  int node = 0;
  int64_t call = 0;
  Provider* provider = nullptr;
  Question question{};
  // In a thread that asks, before it does: why not to. "": nothing is against it.
  std::function<std::string()> why_not{};
};

struct Answered {
  Asked asked;
  Answer answer;
  int64_t came_ns = 0;
};

class Asker {
 public:
  // `wake` is called from any thread when there is an answer.
  Asker(size_t at_once, const Clock& clock, std::function<void()> wake);
  // Ends what is under way; its answers are lost.
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  void put(Asked asked);
  // What has come since the last call.
  std::vector<Answered> take();
  // Asked, and not taken yet.
  size_t under_way() const;

 private:
  void work();

  const Clock& clock_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::deque<Asked> waiting_;
  std::vector<Answered> answered_;
  size_t under_way_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace assay
