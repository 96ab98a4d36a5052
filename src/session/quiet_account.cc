#include "session/quiet_account.h"

#include "base/clock.h"

namespace assay {
namespace {

constexpr int64_t kToldAfterNs = 2'000'000'000;

}  // namespace

Status QuietAccount::enter() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  wake_();
  changed_.wait(lock, [&] { return interrupted_ || free_; });
  --waiting_;
  if (interrupted_) return error(Code::interrupted, "interrupted");
  free_ = false;
  return {};
}

void QuietAccount::leave() {
  std::lock_guard lock(mutex_);
  taken_ = false;
  one_after_the_other_ = waiting_ > 0;
  wake_();
}

Result<TakenMachine> QuietAccount::take_machine() {
  const int64_t begin_ns = system_clock().now_ns();
  ASSAY_ASSIGN(TimingLock taken, TimingLock::take(lock_, [&]() -> Status {
                 std::lock_guard lock(mutex_);
                 if (interrupted_) return error(Code::interrupted, "interrupted");
                 if (!has_waited_for_others_ && system_clock().now_ns() - begin_ns > kToldAfterNs) {
                   has_waited_for_others_ = true;
                   wake_();
                 }
                 return {};
               }));
  return TakenMachine{std::move(taken), StoppedWatchers::stop(folder_)};
}

bool QuietAccount::has_waited_for_others() const {
  std::lock_guard lock(mutex_);
  return has_waited_for_others_;
}

void QuietAccount::serve(size_t at_work) {
  std::lock_guard lock(mutex_);
  if (taken_ || waiting_ == 0 || waiting_ < at_work) return;
  taken_ = free_ = true;
  changed_.notify_one();
}

bool QuietAccount::is_taken() const {
  std::lock_guard lock(mutex_);
  return taken_;
}

bool QuietAccount::lets_start() const {
  std::lock_guard lock(mutex_);
  return !taken_ && !one_after_the_other_ && waiting_ < kMostWaiting;
}

size_t QuietAccount::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

void QuietAccount::interrupt() {
  std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

}  // namespace assay
