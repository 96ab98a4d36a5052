// What a worker says of the program that it exported, read strictly: the problem's code shares its
// process and may have answered in its place.
#pragma once

#include <optional>

#include "base/json.h"

namespace assay {

// The fields of docs/formats.md that describe a program, and nothing else that a stranger may have
// put beside them; none when one is not what it should be. Lists that are absent are empty.
std::optional<Json> read_description(const Json& ok);

// The files of the Hugging Face hub, or of a local folder, that an export read or looked for; null
// without any. They are no ingredient of its key: what was made of them is not used again.
Json read_hub_files(const Json& answer);

}  // namespace assay
