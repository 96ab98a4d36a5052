// What a worker says of the program that it exported, read strictly: the problem's code shares its
// process and may have answered in its place.
#pragma once

#include <optional>

#include "base/json.h"

namespace assay {

// The fields of docs/formats.md that describe a program, and nothing else that a stranger may have
// put beside them; none when one is not what it should be. Lists that are absent are empty.
std::optional<Json> read_description(const Json& ok);

// Whether an export's evidence names files of the Hugging Face hub, or of a local folder, that it
// depends on. They are no ingredient of its key: what was made of them is not used again.
bool has_hub_files(const Json& evidence);

}  // namespace assay
