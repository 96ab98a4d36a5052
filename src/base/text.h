// Small things that become of text, of letters that ASCII has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::string lower_case(std::string_view text);
// Without spaces, tabs and ends of lines at either end.
std::string_view trimmed(std::string_view text);
// Without the mark that Excel and Notepad write before UTF-8.
std::string_view without_byte_order_mark(std::string_view text);
// Without their ends. The last one need not have any, and is not there where the text is empty.
std::vector<std::string_view> lines_of(std::string_view text);
// What stands between two marks, from `at` on; "" where they are not there.
std::string_view between(std::string_view text, std::string_view from, std::string_view to,
                         size_t at = 0);

}  // namespace assay
