// Suites that come with assay, by their names.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "base/places.h"
#include "workload/workload.h"

namespace assay {

// The name of a suite that comes with assay as its path; anything else as it is. A file or folder
// of the user's own wins.
std::string suite_path(const Disk& disk, const Places& places, const std::string& name_or_path);

// What the suite in a folder of those that come with assay is named by: the folder, or, where its
// kernels bring tests along, what says so.
std::string named_suite(const Disk& disk, const std::string& folder);

// find_workloads() for what the command line names. Where a path does not exist, the error says
// which bundled suite was meant, if one is near.
Result<std::vector<Workload>> find_named_workloads(const Disk& disk, const Places& places,
                                                   const std::vector<std::string>& paths,
                                                   std::vector<std::string>* left_out = nullptr);

}  // namespace assay
