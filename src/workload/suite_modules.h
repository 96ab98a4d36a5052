// Files of a suite's own that its tests import: KernelBench-X's utils/data_utils.py, what lies
// beside a task of AgentKernelArena.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "workload/suite_task.h"

namespace assay {

// By the names that are imported in a text of Python's, and in the files that are found, in the
// first of the folders that has one. `own`: the name of the kernel's file, which is a candidate's.
std::vector<SuiteModule> modules_imported(const Disk& disk, std::string_view tests,
                                          const std::vector<std::string>& folders,
                                          std::string_view own);

}  // namespace assay
