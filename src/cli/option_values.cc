#include "cli/option_values.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {

Result<int> parse_count(const char* option, const std::string& text) {
  int count = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size() || count < 1 || count > 1024)
    return error(Code::invalid_input,
                 fmt::format("{} '{}' is no number from 1 to 1024", option, text));
  return count;
}

}  // namespace assay
