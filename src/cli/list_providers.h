#pragma once

#include <string>

#include "base/places.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/output.h"

namespace assay {

// `assay list providers`: a line each, with what it is set up by here, or what is to be set. With
// --check those that are set up are asked whether they answer.
Result<int> list_providers(const Places& places, const std::string& name,
                           const Arguments& arguments, Output& output);

}  // namespace assay
