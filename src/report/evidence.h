#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace assay {

// What a stage learnt, in plain words, a line or more per field, indented by four: "inputs: 4x8
// f32", "artifact: 12.1 KiB". Knows how evidence is written (names of sizes end in _bytes, of times
// in _ns; a tensor has a shape and a dtype), not which fields there are.
std::string evidence_in_words(const Json& evidence);

// A field of a record that may come from anywhere: nothing where it is none of that kind, or
// `object` has no fields. Texts are safe for a terminal.
std::string text_at(const Json& object, const char* name);
std::optional<int64_t> number_at(const Json& object, const char* name);

}  // namespace assay
