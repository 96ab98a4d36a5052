#pragma once

#include <string>

#include "report/summary.h"

namespace assay {

// What processes of each attempt held over time, one below the other; "": nothing was tracked.
std::string draw_memory(const ReportInput& input);

}  // namespace assay
