// What a command line names of problems, targets and a folder.
#pragma once

#include "base/places.h"
#include "cli/command.h"
#include "session/request.h"

namespace assay {

// Fills the request's workloads (of PATH..., --filter, --skip, --ids, --limit), targets (--on),
// folder (--out) and baselines; its settings stand already. `fallback`: the path where none is
// given; "": there has to be one.
Status find_work(const Arguments& arguments, const Places& places, const std::string& fallback,
                 Request& request);

// --jobs, --force and --iree, and the cores of this machine.
Status add_ways_of_running(const Arguments& arguments, Request& request);

}  // namespace assay
