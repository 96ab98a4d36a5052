// How long each dispatch of a compiled program takes, from what IREE's tools print.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// Of a line of JSON from `iree-benchmark-module --benchmark_format=json`, and of the lines of
// `iree-profile dispatch --format=jsonl --dispatch_events`:
//
//   {"calls": 120, "call_ns": 75000, "dispatches": [{"name", "per_call", "median_ns", "low_ns",
//    "high_ns"}, ...], "left_out": 3}
//
// The dispatch that takes most of a call stands first; of very many the smallest are left out. Low
// and high are the tenth and the ninetieth percentile. Null where no dispatch was seen.
Json read_dispatch_times(double call_ns, std::string_view events);
// "Of a call's 75 us, 91 % is in dispatches: ..."
std::string dispatches_in_words(const Json& counted);

}  // namespace assay
