#pragma once

#include <string>

#include "base/status.h"
#include "store/run_store.h"

namespace assay {

// A run to read. Where the folder holds none, the error says which was meant, if one is near.
Result<RunStore> open_run(const std::string& folder);

// Folders that hold a run: those in `runs/`, where `assay run` puts them, and those given by the
// beginning of a path.
std::vector<std::string> run_folders(const std::string& beginning);

}  // namespace assay
