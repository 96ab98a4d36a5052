#include "compile/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace assay {
namespace {

// "file.mlir:3:4: text" without its place.
std::string_view without_location(std::string_view line) {
  size_t text = line.find(": ");
  if (text == std::string_view::npos) return line;
  std::string_view place = line.substr(0, text);
  bool numbered = !place.empty() && std::isdigit(static_cast<unsigned char>(place.back()));
  return numbered && place.contains(':') && !place.contains(' ') ? line.substr(text + 2) : line;
}

// Calls `visit` with each line until it returns true.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (visit(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string first_error_line(std::string_view diagnostics) {
  constexpr std::string_view kMark = "error: ";
  std::string found;
  each_line(diagnostics, [&](std::string_view line) {
    size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) return false;
    // "error: <location>: error: text" happens: what stands after the last mark is the message.
    found = without_location(line.substr(line.rfind(kMark) + kMark.size()));
    return !found.empty();
  });
  return found;
}

bool says_disk_is_full(std::string_view printed) { return printed.contains(std::strerror(ENOSPC)); }

FailureClass classify_diagnostics(std::string_view diagnostics) {
  std::string first = first_error_line(diagnostics);
  auto says = [](std::string_view text, std::string_view words) { return text.contains(words); };
  if (says(diagnostics, "iree-lld") || says(diagnostics, "lld: error") ||
      says(first, "undefined symbol") || says(first, "failed to link"))
    return FailureClass::link;
  if (says(first, "'torch.") || says(first, "'tm_tensor.") || says(first, "torch.operator") ||
      says(first, "custom op"))
    return FailureClass::import;
  return FailureClass::codegen;
}

}  // namespace assay
