#pragma once

#include <string>

#include "model/attempt.h"

namespace assay {

// Appends an attempt's JSON, byte for byte what dump_json(to_json(attempt)) gives, without building
// the value: reports have very many. A stage's evidence_text is taken where there is one.
void append_json(std::string& text, const Attempt& attempt);

}  // namespace assay
