#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/hash.h"

namespace assay {
namespace {

bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The bytes of a control character beyond ASCII at the beginning of `text`; 0: there is none. C1
// controls (U+0080 to U+009F) move the cursor as their ASCII kin do; bidirectional overrides
// (U+202A to U+202E, U+2066 to U+2069) make text read as what it is not.
size_t hidden_control(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) <= 0x9f) return 2;
  if (byte(0) != 0xe2) return 0;
  bool override = byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae;
  bool isolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return override || isolate ? 3 : 0;
}

}  // namespace

std::string escape_component(std::string_view name) {
  if (name.empty()) return "%";
  std::string safe;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool plain = alphanumeric(c) || one_of(c, "_-+=,@") || (c == '.' && i > 0);
    if (plain)
      safe += c;
    else
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  // File systems end at 255 bytes, and an author's suffix may follow.
  constexpr size_t kLongest = 200;
  if (safe.size() <= kLongest) return safe;
  size_t cut = kLongest - 20;
  while (safe.substr(cut - 2, 2).contains('%')) --cut;  // not within an escape
  return safe.substr(0, cut) + "~" + sha256(name).substr(0, 16);
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string safe;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    auto byte = static_cast<unsigned char>(c);
    if (size_t size = hidden_control(text.substr(i)); size > 0) {
      for (char hidden : text.substr(i, size))
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(hidden));
      i += size - 1;
    } else if ((c == '\n' || c == '\t') && keep_lines)
      safe += c;
    else if (byte < 0x20 || byte == 0x7f)
      safe += c == '\n' ? std::string("\\n") : fmt::format("\\x{:02x}", byte);
    else
      safe += c;
  }
  return safe;
}

std::string shell_quote(std::string_view word) {
  auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(word, control)) {
    std::string quoted = "$'";
    for (char c : word) {
      if (control(c))
        quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      else if (c == '\'' || c == '\\')
        quoted += std::string("\\") + c;
      else
        quoted += c;
    }
    return quoted + "'";
  }
  bool plain = !word.empty();
  for (char c : word) plain = plain && (alphanumeric(c) || one_of(c, "_-+=,@./:%"));
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace assay
