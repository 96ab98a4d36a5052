// A folder with weights as a hub has them: model.safetensors, or several files that
// model.safetensors.index.json names. A pickle is never one of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/loaded_weights.h"
#include "workload/workload.h"

namespace assay {

// Reads all of the files once, for their hash.
Result<LoadedWeights> find_weights(const Disk& disk, const std::string& folder);

// The files that an index of shards names, in its order and each once; `path` is for messages. The
// text is whatever a hub, or somebody else, has put there.
Result<std::vector<std::string>> read_weights_index(std::string_view text, const std::string& path);

// Has each of them loaded with these. Fails where one has no model in Python to load.
Status load_with(std::vector<Workload>& workloads,
                 const std::shared_ptr<const LoadedWeights>& weights);

}  // namespace assay
