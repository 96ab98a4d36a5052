// The dispatches of a program, as IREE writes them after its phase "flow".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

// What each dispatch reads and writes of its tensors, in bytes, each part once:
// {"main_dispatch_0_matmul_64x32x128_f32": 57344, ...}. Left out are those that look up in a table,
// of which they need not touch all, and those with a size that is known only when they run, or a
// type that is packed or made of others.
Json dispatch_bytes(std::string_view program);

// The names of a program's dispatches, in its order.
std::vector<std::string> dispatch_names(std::string_view program);

// The part of a program after any phase that has a dispatch: what stands around the function of
// that name, of its target and layout alone. "": there is none of that name.
std::string_view dispatch_program(std::string_view program, std::string_view name);

}  // namespace assay
