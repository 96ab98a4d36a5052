#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "sandbox/spawner.h"
#include "session/memory_curve.h"

namespace assay {

// Looks at the memory of children, again and again: on the spawner's thread, between its events.
class MemoryWatch {
 public:
  static constexpr int64_t kEveryNs = 20'000'000;
  // To know what is shared, the kernel walks through page tables, which takes milliseconds where
  // these are large: such looks are so many times as far apart as they take of a core. In between
  // what is held is known, and what has been added counts as nobody else's.
  static constexpr int64_t kLeastPause = 10;

  MemoryWatch(const Spawner& spawner, const Clock& clock) : spawner_(spawner), clock_(clock) {}

  // How long the next look may be waited for.
  int64_t patience_ns() const;
  bool is_due() const { return clock_.now_ns() >= due_ns_; }
  // Of each child that `each` gives it, one sample, which is appended.
  using Take =
      std::function<void(ChildId child, Stage stage, const std::string& image, MemoryCurve& curve)>;
  void look(const std::function<void(const Take&)>& each);

 private:
  const Spawner& spawner_;
  const Clock& clock_;
  int64_t due_ns_ = 0, walk_due_ns_ = 0;
  std::map<ChildId, HeldMemory> walked_;  // what the last such look has found
};

}  // namespace assay
