#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

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
  return safe;
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string safe;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if ((c == '\n' || c == '\t') && keep_lines)
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
