#pragma once

#include <cstddef>
#include <string>

#include "model/attempt.h"

namespace assay {

// What a run tells while it goes on. cli/ turns it into progress lines or JSON; the engine itself
// prints nothing.
class Events {
 public:
  virtual ~Events() = default;
  // Before anything else. `reused` attempts are in the run's store already.
  virtual void planned(size_t attempts, size_t reused) = 0;
  // A child has been started for a workload. `targets` is 0 for an export.
  virtual void started(const std::string& workload_path, Stage stage, size_t targets) = 0;
  // An attempt is in the store.
  virtual void finished(const Attempt& attempt) = 0;
};

}  // namespace assay
