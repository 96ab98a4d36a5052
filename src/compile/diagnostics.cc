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

namespace {

// "kernel.c:5:10" of "kernel.c:5:10: error: ..." or of nvcc's "kernel.cu(5): error: ..."; "" where
// it is no place in a file.
std::string place_in(std::string_view before) {
  while (before.ends_with(' ') || before.ends_with(':')) before.remove_suffix(1);
  if (before.ends_with("fatal")) return place_in(before.substr(0, before.size() - 5));
  std::string place(before.substr(before.rfind('/') + 1));  // npos + 1 is 0
  if (place.ends_with(')')) {
    place.pop_back();
    if (const size_t open = place.rfind('('); open != std::string::npos) place[open] = ':';
  }
  const size_t end = place.find_last_not_of("0123456789:");
  const bool is_numbered =
      end != std::string::npos && end + 1 < place.size() && place[end + 1] == ':';
  return is_numbered && !place.contains(' ') ? place : "";
}

// What is missing at the end, which the linker's own line names only as "ld returned 1 exit
// status".
std::string linker_complaint(std::string_view diagnostics) {
  std::string found;
  each_line(diagnostics, [&](std::string_view line) {
    for (std::string_view words : {"undefined reference to", "multiple definition of"})
      if (const size_t at = line.find(words); at != std::string_view::npos) found = line.substr(at);
    return !found.empty();
  });
  return found;
}

}  // namespace

std::string first_error_with_place(std::string_view diagnostics) {
  constexpr std::string_view kMark = "error: ";
  const std::string text = first_error_line(diagnostics);
  if (text.empty()) return text;
  if (text.starts_with("ld returned"))
    if (std::string why = linker_complaint(diagnostics); !why.empty()) return why;
  std::string place;
  each_line(diagnostics, [&](std::string_view line) {
    const size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) return false;
    place = place_in(line.substr(0, mark));
    return true;
  });
  return place.empty() ? text : text + " (" + place + ")";
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
