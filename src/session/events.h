#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/attempt.h"
#include "store/run_now.h"

namespace assay {

// What a run tells while it goes on. cli/ turns it into progress lines or JSON; a session itself
// prints nothing.
class Events {
 public:
  virtual ~Events() = default;
  // Before anything else. `reused` attempts are in the run's store already, and `verified` ones but
  // for their times; what an author can never serve ("eager on a72") is none.
  virtual void planned(size_t /*attempts*/, size_t /*reused*/, size_t /*verified*/,
                       const std::vector<std::string>& /*not_applicable*/) {}
  // Then of each attempt that is reused, without its long texts.
  virtual void reused(const Attempt& /*attempt*/) {}
  // A child has been started for a workload. `targets` is 0 for an export.
  virtual void started(const std::string& /*workload_path*/, Stage /*stage*/, size_t /*targets*/) {}
  // All that is at work, whenever that has changed.
  virtual void under_way(const std::vector<UnderWay>& /*all*/) {}
  // Another assay on this machine times, and this one waits for it before it times anything. Told
  // once, where that takes seconds.
  virtual void waiting() {}
  // An attempt is in the store.
  virtual void finished(const Attempt& /*attempt*/) {}
};

}  // namespace assay
