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

// Bytes of the UTF-8 character that `text` begins with; 0 where it is none: a stray or missing
// continuation, an overlong form, a surrogate, or beyond U+10FFFF.
size_t character_size(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  unsigned second = byte(1);
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : size;
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

std::string utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    size_t size = character_size(text.substr(i));
    if (size == 0)
      valid += "\xef\xbf\xbd";
    else
      valid.append(text, i, size);
    i += std::max<size_t>(size, 1);
  }
  return valid;
}

std::string shell_quote(std::string_view word) {
  // What cannot be shown as it is must be spelled, or a copied command would name another file.
  if (printable(word, false) != word || utf8(word) != word) {
    std::string quoted = "$'";
    for (char c : word) {
      if (auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte >= 0x7f)
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
