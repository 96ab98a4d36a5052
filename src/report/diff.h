// What differs between two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// In the unified form, with three lines around each change; "": nothing differs. Lines are hunks'
// alone: who calls it names the files.
std::string unified_diff(std::string_view before, std::string_view after);

// The beginning of a text, and how many bytes behind it are left out.
struct CutText {
  std::string text;
  size_t cut = 0;
};
CutText cut_text(std::string text, size_t most);

}  // namespace assay
