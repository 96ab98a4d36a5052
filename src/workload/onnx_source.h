// What the source of files makes of those in ONNX. Inside this folder only.
#pragma once

#include <string>
#include <vector>

#include "workload/source.h"

namespace assay {

// For each combination of sizes that stand in the brackets; `plain` is the file without any.
Result<std::vector<Workload>> onnx_workloads(const std::string& given, const Workload& plain);
Result<LoadedWorkload> load_onnx(const Disk& disk, const std::string& path);

}  // namespace assay
