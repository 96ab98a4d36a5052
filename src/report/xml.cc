#include "report/xml.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace assay {

std::string xml(const std::string& text) {
  std::string safe;
  for (char c : utf8(text)) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\n' || c == '\t' || c == '\r')
      safe += fmt::format("&#{};", byte);
    else if (byte < 0x20)
      safe += fmt::format("\\x{:02x}", byte);
    else
      safe += c;
  }
  // Two code points that no XML may hold, U+FFFE and U+FFFF, though UTF-8 has them.
  for (const char* forbidden : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (size_t at = safe.find(forbidden); at != std::string::npos; at = safe.find(forbidden, at))
      safe.replace(at, 3, "\xef\xbf\xbd");
  return safe;
}

}  // namespace assay
