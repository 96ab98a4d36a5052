// What `assay write` is told of models: which are asked, and with what.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "provider/provider.h"

namespace assay {

// Each of the lists that --model has. A command may have commas of its own, unless a model follows
// one.
std::vector<std::string> models_in(const std::vector<std::string>& lists);

// Of --param, "temperature=0.1": an object, whose values are JSON where they read as that, else
// text.
Result<Json> parse_parameters(const std::vector<std::string>& lists);
// Refuses what assay says itself.
Status check_parameters(const ModelName& model, const Json& parameters);

}  // namespace assay
