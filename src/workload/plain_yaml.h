// YAML's commonest part, as people write settings in: mappings and lists by indentation, [a, b] and
// {a: b} in a line, quoted texts, and texts of several lines.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// Objects, arrays and texts; a number and a truth value are the text that stands there, and what
// is empty or null is null. What else YAML has, anchors and tags, is text as well. Fails where it
// is nested without end, and where a line is neither.
Result<Json> read_plain_yaml(std::string_view text, const std::string& where);

}  // namespace assay
