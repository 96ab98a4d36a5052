#pragma once

#include <string>

#include "base/json.h"

namespace assay {

// The evidence of a verify stage for people, a line or more per subject, indented by four: the
// element that decided with what it should be, the errors, the rounds with their inputs, sizes and
// errors, what was not tried. What this does not know of is shown as evidence_in_words() does.
std::string verification_in_words(const Json& evidence);

// Where the mismatch is that decided: "first at [3, 7] of output 0, inputs own"; "" where none did,
// or it has no place.
std::string first_mismatch_in_words(const Json& evidence);

}  // namespace assay
