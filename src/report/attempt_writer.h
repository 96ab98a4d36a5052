#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

// Appends an attempt's JSON, byte for byte what dump_json(to_json(attempt)) gives, without building
// the value: reports have very many. A stage's evidence_text is taken where there is one.
void append_json(std::string& text, const Attempt& attempt);

// How much the attempts will take, roughly: a text that grows to hundreds of megabytes step by step
// is copied many times.
size_t json_bytes_about(const std::vector<Attempt>& attempts);

}  // namespace assay
