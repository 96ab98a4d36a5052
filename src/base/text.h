// Small things that become of text, of letters that ASCII has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::string lower_case(std::string_view text);
// Without spaces, tabs and ends of lines at either end.
std::string_view trimmed(std::string_view text);
// Without their ends. The last one need not have any, and is not there where the text is empty.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace assay
