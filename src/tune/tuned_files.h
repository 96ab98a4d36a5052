// What a search leaves in the run's folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/json.h"
#include "tune/tuning.h"

namespace assay {

struct TunedOperation {
  TuneResult result;
  std::optional<OperationFacts> operation{};
};

// tune.jsonl.
Status write_tune_log(Disk& disk, const std::string& folder, const std::vector<Json>& lines);
// tuned.toml, and tuned/NAME.mlir of each winner that says more than flags. Without a winner there
// are none of these.
Status write_tuned(Disk& disk, const std::string& folder,
                   const std::vector<TunedOperation>& results);

}  // namespace assay
