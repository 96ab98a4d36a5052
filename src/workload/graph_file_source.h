// What the source of files makes of those with a graph. Inside this folder only.
#pragma once

#include <string>
#include <vector>

#include "workload/source.h"

namespace assay {

// A process that computes in double holds several times as much.
inline constexpr size_t kMostGraphBytes = size_t{1} << 30;

// For each combination of sizes that stand in the brackets; `plain` is the file without any.
Result<std::vector<Workload>> graph_workloads(const Disk& disk, const std::string& given,
                                              const Workload& plain);
Result<LoadedWorkload> load_graph(const Disk& disk, const std::string& path);

}  // namespace assay
