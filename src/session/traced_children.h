#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "sandbox/children.h"
#include "session/traced.h"

namespace assay {

// Children of others, with a note of when each was started, and when its end was told.
class TracedChildren final : public Children {
 public:
  explicit TracedChildren(Children& children) : children_(children) {}
  // In the order in which they were started.
  std::vector<TracedProcess> processes() const;

  void start_image(const Image& image) override { children_.start_image(image); }
  Result<ChildId> start(const Image& image, const Limits& limits, const Job& job) override;
  Status send(ChildId child, const Json& body, const std::vector<int>& descriptors) override {
    return children_.send(child, body, descriptors);
  }
  Result<Event> next(ChildId child, int64_t patience_ns) override;
  void stop(ChildId child) override { children_.stop(child); }
  void forget(ChildId child) override;
  std::shared_ptr<Freezer> freezer(ChildId child) override { return children_.freezer(child); }
  Fork fork_of(ChildId child) override { return children_.fork_of(child); }
  Result<ProcessMemory> open_memory(ChildId child) override { return children_.open_memory(child); }

 private:
  void end(ChildId child);

  Children& children_;
  mutable std::mutex mutex_;
  std::vector<TracedProcess> processes_;
  std::map<ChildId, size_t> places_;
};

}  // namespace assay
