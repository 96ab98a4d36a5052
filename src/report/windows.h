#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

// The windows that an attempt was timed in, a line each, in the order in which they were. Times are
// whole nanoseconds, for whoever reads lines to compute with them.
std::string windows_table(const Attempt& attempt, const std::vector<WindowRecord>& windows);

}  // namespace assay
