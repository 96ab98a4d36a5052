// What `perf stat -x,` prints.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

inline constexpr const char* kPerfEvents =
    "task-clock,page-faults,instructions,cycles,cache-references,cache-misses,branches,"
    "branch-misses";

// {"instructions": 12345, ...}: null of what the machine does not count. Null where it counted
// nothing at all.
Json read_perf_output(std::string_view text);
std::string perf_in_words(const Json& counted);

}  // namespace assay
