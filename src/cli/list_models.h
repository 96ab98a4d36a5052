#pragma once

#include <string>

#include "base/places.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/output.h"

namespace assay {

// `assay list models`: one line each, with the memory of its weights at each size, and what is to
// be installed first. With a name: what can be chosen of it.
Result<int> list_models(const Places& places, const std::string& name, const Arguments& arguments,
                        Output& output);
Proposals propose_zoo();

}  // namespace assay
