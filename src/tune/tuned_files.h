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

// The configuration has won what the result is of.
void set_winner(Configuration configuration, TuneResult& result);

// tune.jsonl.
Status write_tune_log(Disk& disk, const std::string& folder, const std::vector<Json>& lines);
// An entry of tuned.toml.
struct TunedEntry {
  Configuration configuration;
  std::string comment{};  // the line before it
};
// What tuned.toml holds; nothing where there is none.
Result<std::vector<TunedEntry>> read_tuned(const Disk& disk, const std::string& folder);

// tuned.toml, and tuned/NAME.mlir of each winner that says more than flags. Entries of other
// operations and targets stay as they are. Without any there are none of these.
Status write_tuned(Disk& disk, const std::string& folder,
                   const std::vector<TunedOperation>& results);

}  // namespace assay
