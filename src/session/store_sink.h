#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "model/attempt.h"
#include "session/events.h"
#include "session/feed.h"
#include "store/cache.h"
#include "store/run_store.h"

namespace assay {

// The end of every attempt of a run: its files into its result folder, its row into the store.
class StoreSink final : public Sink {
 public:
  // `traces`: of each attempt it keeps what ran when.
  StoreSink(Disk& disk, Cache& cache, RunStore& store, Events& events, bool traces = false)
      : disk_(disk), cache_(cache), store_(store), events_(events), traces_(traces) {}

  // Its artifacts are objects of the cache.
  Status take(Finished& finished) override;
  bool keeps() const override { return true; }

  // True when the result folder holds just these. Files may have been tidied away, or be those of
  // an attempt that was never stored; the cache has the right ones.
  bool has_files(const std::string& id, const std::vector<ArtifactRecord>& artifacts) const;

 private:
  Status add(std::string_view name, std::string_view bytes, Attempt& attempt);
  Status put_files(Attempt& attempt, const std::string& folder);

  Disk& disk_;
  Cache& cache_;
  RunStore& store_;
  Events& events_;
  bool traces_;
};

}  // namespace assay
