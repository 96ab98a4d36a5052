#include "watch/connections.h"

#include <utility>

namespace assay {
namespace {

thread_local bool refuses_here = false;

}  // namespace

Connections::Connections() {
  for (size_t i = 0; i < kRefusing; ++i) refusing_.emplace_back([this] { serve(refused_, true); });
}

bool Connections::is_one_too_many() { return refuses_here; }

void Connections::enqueue(std::function<void()> connection) {
  std::lock_guard lock(mutex_);
  if (has_ended_) return;
  const bool is_too_many = open_ == kMost;
  Waiting& waiting = is_too_many ? refused_ : served_;
  waiting.connections.push_back(std::move(connection));
  waiting.come.notify_one();
  if (is_too_many) return;
  if (++open_ > threads_.size()) threads_.emplace_back([this] { serve(served_, false); });
}

void Connections::serve(Waiting& waiting, bool refuses) {
  refuses_here = refuses;
  std::unique_lock lock(mutex_);
  while (true) {
    waiting.come.wait(lock, [&] { return has_ended_ || !waiting.connections.empty(); });
    if (waiting.connections.empty()) return;
    auto connection = std::move(waiting.connections.front());
    waiting.connections.pop_front();
    lock.unlock();
    connection();
    connection = nullptr;
    lock.lock();
    if (!refuses) --open_;
  }
}

void Connections::shutdown() {
  {
    std::lock_guard lock(mutex_);
    has_ended_ = true;
    served_.come.notify_all();
    refused_.come.notify_all();
  }
  for (auto* threads : {&threads_, &refusing_}) {
    for (std::thread& each : *threads) each.join();
    threads->clear();
  }
}

}  // namespace assay
