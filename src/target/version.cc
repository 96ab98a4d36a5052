#include "target/version.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (size_t i = 0; i < version.parts.size(); ++i) {
    auto [next, failed] = std::from_chars(at, end, version.parts[i]);
    if (failed != std::errc{} || version.parts[i] < 0) {
      if (i == 0) return std::nullopt;
      version.parts[i] = 0;
      break;
    }
    at = next;
    if (at == end || *at != '.') break;
    ++at;
  }
  return version;
}

std::string to_text(const Version& version) {
  return fmt::format("{}.{}.{}", version.parts[0], version.parts[1], version.parts[2]);
}

}  // namespace assay
