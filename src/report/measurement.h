#pragma once

#include <string>

#include "base/json.h"

namespace assay {

// What the stages measure and judge learnt, in plain words, a line for each, indented by four: how
// much was measured, how the ratios lie, and why a comparison says nothing. The JSON has the rest.
std::string measurement_in_words(const Json& evidence);

}  // namespace assay
