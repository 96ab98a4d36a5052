// What differs between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// In the unified form, with three lines around each change; "": nothing differs. Lines are hunks'
// alone: who calls it names the files.
std::string unified_diff(std::string_view before, std::string_view after);

}  // namespace assay
