#include "session/traced_children.h"

#include "base/clock.h"

namespace assay {

std::vector<TracedProcess> TracedChildren::processes() const {
  std::lock_guard lock(mutex_);
  return processes_;
}

Result<ChildId> TracedChildren::start(const Image& image, const Limits& limits, const Job& job) {
  const int64_t began_us = utc_now_us();
  ASSAY_ASSIGN(const ChildId child, children_.start(image, limits, job));
  std::lock_guard lock(mutex_);
  places_[child] = processes_.size();
  processes_.push_back({image.name, began_us});
  return child;
}

Result<Event> TracedChildren::next(ChildId child, int64_t patience_ns) {
  auto event = children_.next(child, patience_ns);
  if (event && event->kind == Event::Kind::ended) end(child);
  return event;
}

// It is ended now; how long that takes nobody waits to see.
void TracedChildren::forget(ChildId child) {
  end(child);
  children_.forget(child);
}

void TracedChildren::end(ChildId child) {
  std::lock_guard lock(mutex_);
  const auto place = places_.find(child);
  if (place == places_.end()) return;
  TracedProcess& process = processes_[place->second];
  if (!process.wall_ns) process.wall_ns = (utc_now_us() - process.began_us) * 1000;
}

}  // namespace assay
