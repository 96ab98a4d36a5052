#pragma once

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "engine/request.h"
#include "run/python.h"
#include "target/target.h"

namespace assay {

// Where targets are looked for: the user's own, then those shipped.
TargetCatalog target_catalog(const Disk& disk, const Places& places);

// The name of a suite that comes with assay as its path; anything else as it is. A file or folder
// of the user's own wins.
std::string suite_path(const Disk& disk, const Places& places, const std::string& name_or_path);

// find_workloads() for what the command line names. Where a path does not exist, the error says
// which bundled suite was meant, if one is near.
Result<std::vector<Workload>> find_named_workloads(const Disk& disk, const Places& places,
                                                   const std::vector<std::string>& paths);

// What a run will use, identified. Fails with what to install when torch, turbine or the compiler
// is missing. `iree` is the user's own build, a file or a folder; "" for the installed one.
Result<Tools> find_tools(const Disk& disk, const Places& places, const PythonDescription& python,
                         CompilerKind kind = CompilerKind::library, const std::string& iree = "");

// The machine and the compiler as a run's record describes them.
Json describe_machine(const Disk& disk, const PythonDescription& python, const Tools& tools);

}  // namespace assay
