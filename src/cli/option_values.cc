#include "cli/option_values.h"

#include <fmt/format.h>

#include <charconv>

#include "base/units.h"

namespace assay {

Result<int> parse_count(const char* option, const std::string& text) {
  int count = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size() || count < 1 || count > 1024)
    return error(Code::invalid_input,
                 fmt::format("{} '{}' is no number from 1 to 1024", option, text));
  return count;
}

Result<int64_t> parse_timeout_ns(const std::string& text) {
  auto timeout_ns = parse_duration_ns(text);
  if (!timeout_ns) return while_doing(timeout_ns.error(), "reading --timeout");
  return *timeout_ns;
}

Result<uint64_t> parse_memory_bytes(const std::string& text) {
  constexpr uint64_t kLeast = uint64_t{512} << 20;
  auto bytes = parse_bytes(text);
  if (!bytes) return while_doing(bytes.error(), "reading --memory");
  if (*bytes < kLeast)
    return error(Code::invalid_input, fmt::format("--memory {}: a process needs {} at least", text,
                                                  exact_bytes(kLeast)));
  return *bytes;
}

}  // namespace assay
