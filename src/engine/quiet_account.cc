#include "engine/quiet_account.h"

namespace assay {

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
  wake_();
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

bool QuietAccount::is_wanted() const {
  std::lock_guard lock(mutex_);
  return taken_ || waiting_ > 0;
}

void QuietAccount::interrupt() {
  std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

}  // namespace assay
