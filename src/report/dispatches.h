// Where the time of a compiled program goes, as IREE's profiler counted it
// (measure/dispatch_times.h).
#pragma once

#include <string>

#include "base/json.h"

namespace assay {

// Lines for `assay show`, the dispatch that takes most first; "": nothing of it was counted.
// `counters`: those of a stage's evidence.
std::string dispatches_in_lines(const Json& counters);

}  // namespace assay
