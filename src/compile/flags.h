#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "target/target.h"

namespace assay {

// All flags one compile runs with: assay's defaults where the target does not set the same
// flag, then the target's. The defaults: full optimisation, and no debug information or source
// paths, so that the same input gives the same bytes.
std::vector<std::string> resolve_flags(const Target& target);

// Adds a flag of the user's own, in the place of the target's flag of the same name if it has one.
// Refuses what is no flag, and those that assay sets itself.
Status set_flag(Target& target, const std::string& flag);

// Has symbols and source locations stay in the artifact, against assay's default.
void keep_debug_info(Target& target);

}  // namespace assay
