// What a worker says of the program that it exported, read strictly: the problem's code shares its
// process and may have answered in its place.
#pragma once

#include <optional>

#include "base/json.h"

namespace assay {

// The fields of docs/formats.md that describe a program, and nothing else that a stranger may have
// put beside them; none when one is not what it should be. Lists that are absent are empty.
std::optional<Json> read_description(const Json& ok);

}  // namespace assay
