// What a program is in the compiler's hal phase, where that is one call of one function in an
// executable: enough to make the call without IREE's runtime (run/dispatch_library.h).
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// {"executable": "main_dispatch_0_embedded_elf_x86_64.so", "function": "main_dispatch_0_matmul",
//  "workgroups": [6, 1, 1], "constants": [], "bindings": [{"input": 0, "offset": 0, "bytes": 6144},
//  {"output": 0, "offset": 0, "bytes": 4608}]}; or why it is no such program.
std::expected<Json, std::string> direct_dispatch(std::string_view hal);

}  // namespace assay
