#pragma once

#include <string>
#include <string_view>

namespace assay {

// The text as one printable line, with placeholders for what differs from problem to problem:
// N, SHAPE, PATH, %V, @NAME, DISPATCH, SYM.
std::string without_particulars(std::string_view text);

}  // namespace assay
