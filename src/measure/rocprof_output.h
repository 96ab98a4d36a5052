// What AMD's rocprofv3 writes of the kernels that it profiled: a SQLite file (rocpd).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// The counter's name, in records as well.
inline constexpr const char* kRocprof = "rocprofv3";

// What it is asked to count: as many as the hardware counts at once.
std::vector<std::string> rocprof_counters();

// Kernels as in kernel_counts.h. The bytes are what a process wrote that may be hostile: only
// tables are read, within a bound of work.
Result<Json> read_rocprof_output(std::string file);
std::string rocprof_in_words(const Json& counted);

// Of HipKittens' eval.py: the key `rocprof_metrics` of its result, of the kernel that takes most
// time. Null: nothing was counted.
Json rocprof_metrics(const Json& counted);

}  // namespace assay
