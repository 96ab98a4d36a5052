// Several runs put into one: shards of a grid that were run apart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "store/run_store.h"

namespace assay {

struct Merged {
  size_t attempts = 0;
  size_t twice = 0;  // were in more than one run, the same to the last field
};

// Makes the run `to`, which does not exist or is an empty folder, of the runs in `folders`, with
// all their attempts, windows and files. They must have been made with the same settings by the
// same assay; where their machines differ, the new record has a list of what they are. An attempt
// that is not the same in two of them is refused by name. `finish` adds to the new run what else
// belongs there. `to` appears whole, at the end, or not at all; one that is killed leaves a folder
// `TO.merging.PID`.
Result<Merged> merge_runs(Disk& disk, const std::vector<std::string>& folders,
                          const std::string& to, const std::function<Status(RunStore&)>& finish);

}  // namespace assay
