// A thread for each connection, as many as are wanted and no more: who comes then is answered that
// the server is busy, by a few threads that do nothing else.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay {

class Connections final : public httplib::TaskQueue {
 public:
  static constexpr size_t kMost = 256;
  static constexpr size_t kRefusing = 4;

  Connections();
  ~Connections() override { Connections::shutdown(); }
  void enqueue(std::function<void()> connection) override;
  void shutdown() override;

  // Of the thread that asks: its connection is one too many.
  static bool is_one_too_many();

 private:
  struct Waiting {
    std::deque<std::function<void()>> connections;
    std::condition_variable come;
  };
  void serve(Waiting& waiting, bool refuses);

  std::mutex mutex_;
  Waiting served_, refused_;
  size_t open_ = 0;  // that are served, or wait for the thread that is there for them
  bool has_ended_ = false;
  std::vector<std::thread> threads_;  // made as they are needed
  std::vector<std::thread> refusing_;
};

}  // namespace assay
