#pragma once

#include <string>

#include "base/places.h"
#include "base/status.h"
#include "cli/output.h"

namespace assay {

// `assay list targets`: one line each, with what can be done for it on this machine.
Status list_targets(const Places& places, Output& output);

// `assay list targets NAME`: everything that is known of one.
Status show_target(const Places& places, const std::string& name, Output& output);

}  // namespace assay
