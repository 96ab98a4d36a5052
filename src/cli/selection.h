// --filter, --skip, --ids, --sample and --limit, for the commands that have them.
#pragma once

#include <vector>

#include "base/glob.h"
#include "cli/command.h"
#include "model/attempt.h"
#include "workload/workload.h"

namespace assay {

// What the options say about workloads.
Result<Selection> parse_selection(const Arguments& arguments);

// Removes attempts that the options do not select, by their ids.
Status keep_selected(const Arguments& arguments, std::vector<Attempt>& attempts);

}  // namespace assay
