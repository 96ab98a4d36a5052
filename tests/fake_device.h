// A device without a device: memory of its own, and streams that do what they are given on threads
// of their own, as late as their order allows.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::fake {

// Does its work in the order in which it was queued, and begins nothing before somebody waits for
// it. A real one begins when it likes; who gets along with this one leans on no luck.
class Stream {
 public:
  Stream() {
    std::thread([this] { work(); }).detach();  // streams live as long as their process
  }

  void queue(std::function<void()> work) {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++queued_;
  }

  // Until all that has been queued so far is done.
  void synchronize() {
    std::unique_lock lock(mutex_);
    size_t all = queued_;
    wanted_ = all;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ >= all; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return done_ < wanted_; });
      std::function<void()> next = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      next();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  size_t queued_ = 0, wanted_ = 0, done_ = 0;
};

// The device's copy of one of the memories that runner and judge share. Whole: with the poison of
// outputs, and the red zones around tensors.
class Copy {
 public:
  Copy(std::byte* shared, size_t size) : shared_(shared), device_(size) {}

  std::byte* on_device() { return device_.data(); }
  void queue_to_device(Stream& stream) {
    stream.queue([this] { std::memcpy(device_.data(), shared_, device_.size()); });
  }
  void queue_back(Stream& stream) {
    stream.queue([this] { std::memcpy(shared_, device_.data(), device_.size()); });
  }

 private:
  std::byte* shared_;
  std::vector<std::byte> device_;
};

}  // namespace assay::fake
