#pragma once

#include <string>
#include <vector>

#include "target/target.h"

namespace assay {

// All flags one compile runs with: assay's defaults where the target does not set the same flag,
// then the target's for this version of IREE. The defaults: full optimisation, and no debug
// information or source paths, so that the same input gives the same bytes. A version that does
// not read as one (a build of the user's own) counts as the newest.
std::vector<std::string> resolve_flags(const Target& target, const std::string& iree_version);

}  // namespace assay
