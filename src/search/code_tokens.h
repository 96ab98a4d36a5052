// Which code is the same: by its tokens, whatever its comments and its layout.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// A hash of the code without comments and without blanks that mean nothing. `python`: its comments
// begin with #, and how far a line is indented stays; else as C and its kin have it. What looks
// like a comment inside of a text stays.
std::string hash_of_tokens(std::string_view code, bool python);

}  // namespace assay
