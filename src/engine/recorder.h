#pragma once

#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "engine/events.h"
#include "model/attempt.h"
#include "store/cache.h"
#include "store/run_store.h"

namespace assay {

// The end of every attempt: its files into its result folder, its row into the store.
class Recorder {
 public:
  Recorder(Disk& disk, const Clock& clock, const Cache& cache, RunStore& store, Events& events)
      : disk_(disk), clock_(clock), cache_(cache), store_(store), events_(events) {}

  // `artifacts` are objects of the cache.
  Status finish(Attempt attempt, std::vector<StageRecord> stages,
                std::vector<ArtifactRecord> artifacts);

  // True when the result folder holds just these. Files may have been tidied away, or be those of
  // an attempt that was never stored; the cache has the right ones.
  bool has_files(const std::string& id, const std::vector<ArtifactRecord>& artifacts) const;

 private:
  Status put_files(Attempt& attempt, const std::string& folder);

  Disk& disk_;
  const Clock& clock_;
  const Cache& cache_;
  RunStore& store_;
  Events& events_;
};

}  // namespace assay
