// What NVIDIA's Nsight Compute, `ncu --csv --page raw`, writes of the kernels that it profiled.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// What it is asked to count, with commas between.
std::string ncu_metrics();

// Kernels as in kernel_counts.h. An error says why there are none: counters that nobody but root
// may read, a table that is cut short. The text is what a process wrote that may be hostile.
Result<Json> read_ncu_output(std::string_view text);
std::string ncu_in_words(const Json& counted);

// What it complains of in what it printed, in a sentence with what to do; "": of nothing.
std::string ncu_complaint(std::string_view printed);

}  // namespace assay
