#include "search/asker.h"

#include <utility>

namespace assay {

Asker::Asker(size_t at_once, const Clock& clock, std::function<void()> wake)
    : clock_(clock), wake_(std::move(wake)) {
  for (size_t i = 0; i < at_once; ++i) threads_.emplace_back([this] { work(); });
}

Asker::~Asker() {
  {
    std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  something_.notify_all();
}

void Asker::put(Asked asked) {
  {
    std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(asked));
    ++under_way_;
  }
  something_.notify_one();
}

std::vector<Answered> Asker::take() {
  std::scoped_lock lock(mutex_);
  under_way_ -= answered_.size();
  return std::exchange(answered_, {});
}

size_t Asker::under_way() const {
  std::scoped_lock lock(mutex_);
  return under_way_;
}

void Asker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    something_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    Asked asked = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Answer answer;
    answer.why = asked.why_not ? asked.why_not() : "";
    if (answer.why.empty()) answer = asked.provider->ask(asked.question, stop_);
    lock.lock();
    if (stop_) return;
    answered_.push_back({std::move(asked), std::move(answer), clock_.now_ns()});
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace assay
