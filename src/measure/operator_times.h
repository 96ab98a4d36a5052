// How long each operator of torch takes in a call, from what a candidate's process says.
#pragma once

#include <optional>
#include <string_view>

#include "measure/call_parts.h"

namespace assay {

// One object of JSON (python/assay_worker/operators.py):
//   {"by": "profiler" | "dispatcher", "plain_ns": [of calls at which nobody looked],
//    "operators": [{"name", "flops", "bytes"}],
//    "calls": [{"call_ns", "operators": [[place in that list, begin_ns, ns]]}]}
// It may say anything. Nothing where it says nothing of a call.
std::optional<CallParts> read_operator_times(std::string_view written);

}  // namespace assay
