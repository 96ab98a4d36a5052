#include "session/memory_account.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace assay {
namespace {

uint64_t less(uint64_t bytes, uint64_t by) { return bytes - std::min(by, bytes); }

}  // namespace

MemoryAccount::MemoryAccount(const MemoryGauge& gauge, const Clock& clock,
                             std::function<void()> wake)
    : gauge_(gauge),
      clock_(clock),
      wake_(std::move(wake)),
      reserve_bytes_(Admission(gauge).reserve_bytes()),
      free_at_first_(gauge.available_bytes()) {}

Result<uint64_t> MemoryAccount::enter(uint64_t bytes) {
  std::unique_lock lock(mutex_);
  Asked asked{bytes, clock_.now_ns(), {}};
  if (!interrupted_) waiting_.push_back(&asked);
  wake_();
  changed_.wait(lock, [&] { return interrupted_ || asked.answer.has_value(); });
  waiting_.remove(&asked);
  if (asked.answer) return *asked.answer;
  return error(Code::interrupted, "interrupted");
}

void MemoryAccount::leave(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  auto found = std::ranges::find(granted_, bytes, &Granted::bytes);
  assert(found != granted_.end());
  granted_.erase(found);
  wake_();
}

void MemoryAccount::serve(bool others_at_work) {
  std::lock_guard lock(mutex_);
  int64_t now_ns = clock_.now_ns();
  for (Asked* asked : waiting_) {
    if (asked->answer) continue;
    asked->answer = answer(*asked, others_at_work, now_ns);
    if (!asked->answer) break;
    if (*asked->answer == asked->bytes) granted_.push_back({asked->bytes, now_ns});
    changed_.notify_all();
  }
}

// None: not yet.
std::optional<uint64_t> MemoryAccount::answer(const Asked& asked, bool others_at_work,
                                              int64_t now_ns) const {
  uint64_t most = less(gauge_.total_bytes(), reserve_bytes_);
  if (asked.bytes > most) return most;
  uint64_t free_now = less(gauge_.available_bytes(), reserve_bytes_);
  if (asked.bytes + granted_bytes(now_ns - kYoungNs) <= free_now) {
    uint64_t all = granted_bytes(INT64_MIN);
    if (all == 0 || asked.bytes + all <= less(free_at_first_, reserve_bytes_)) return asked.bytes;
  }
  bool ours_may_end = !granted_.empty() || others_at_work;
  if (ours_may_end || now_ns - asked.since_ns < kPatienceNs) return std::nullopt;
  return free_now;
}

uint64_t MemoryAccount::granted_bytes(int64_t since_ns) const {
  uint64_t bytes = 0;
  for (const Granted& each : granted_)
    if (each.since_ns >= since_ns) bytes += each.bytes;
  return bytes;
}

size_t MemoryAccount::waiting() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::ranges::count_if(waiting_, [](const Asked* asked) { return !asked->answer; }));
}

void MemoryAccount::interrupt() {
  std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

}  // namespace assay
