#pragma once

#include <string>

#include "engine/request.h"
#include "target/target.h"

namespace assay {

// Puts the target that --on names into the request, as the request's settings have it. Fails where
// another file of that name is in it.
Status add_target(const TargetCatalog& catalog, const std::string& name, Request& request);

}  // namespace assay
