#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/target.h"

namespace assay {

// All flags one compile runs with: assay's defaults where the target does not set the same flag,
// then the target's for this version of IREE. The defaults: full optimisation, and no debug
// information or source paths, so that the same input gives the same bytes. A version that does
// not read as one (a build of the user's own) counts as the newest.
std::vector<std::string> resolve_flags(const Target& target, const std::string& iree_version);

// Adds what a program in torch's dialect needs besides: one with tensors in double among those in
// single, of a problem that asks for them, would be compiled as though they were single, and read
// their bytes so.
void keep_doubles(std::string_view mlir, std::vector<std::string>& flags);

// What a program is compiled with: both of these.
std::vector<std::string> flags_for(const Target& target, const std::string& iree_version,
                                   std::string_view mlir);

// Adds flags of the user's own, each in the place of the target's flags of the same name.
void add_flags(Target& target, std::vector<std::string> flags);

// Has symbols and source locations stay in the artifact, against assay's default.
void keep_debug_info(Target& target);

}  // namespace assay
