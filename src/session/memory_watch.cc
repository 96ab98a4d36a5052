#include "session/memory_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace assay {
namespace {

// What a process holds more than before is taken to be its own, until the next walk knows.
std::optional<HeldMemory> grown(const HeldMemory& before, uint64_t rss_bytes) {
  if (rss_bytes == 0) return std::nullopt;
  HeldMemory now{rss_bytes, before.pss_bytes};
  if (!now.pss_bytes) return now;
  if (rss_bytes >= before.rss_bytes)
    *now.pss_bytes += rss_bytes - before.rss_bytes;
  else
    *now.pss_bytes -= std::min(*now.pss_bytes, before.rss_bytes - rss_bytes);
  return now;
}

}  // namespace

int64_t MemoryWatch::patience_ns() const {
  return std::clamp<int64_t>(due_ns_ - clock_.now_ns(), 1, kEveryNs);
}

void MemoryWatch::look(const std::function<void(const Take&)>& each) {
  const int64_t begin_ns = clock_.now_ns(), at_us = utc_now_us();
  const int64_t cpu_ns = thread_cpu_ns();  // on a busy machine a look lasts longer than it costs
  const bool walks = begin_ns >= walk_due_ns_;
  std::map<ChildId, HeldMemory> walked;
  each([&](ChildId child, Stage stage, const std::string& image, MemoryCurve& curve) {
    const auto before = walked_.find(child);
    std::optional<HeldMemory> held;
    if (walks || before == walked_.end()) {
      held = spawner_.held_memory(child);
      if (held) walked[child] = *held;
    } else {
      walked[child] = before->second;
      held = grown(before->second, spawner_.resident_bytes(child));
    }
    if (held) curve.add({at_us, stage, image, held->rss_bytes, held->pss_bytes});
  });
  walked_ = std::move(walked);  // without those that have ended
  due_ns_ = begin_ns + kEveryNs;
  if (walks) walk_due_ns_ = begin_ns + kLeastPause * (thread_cpu_ns() - cpu_ns);
}

}  // namespace assay
