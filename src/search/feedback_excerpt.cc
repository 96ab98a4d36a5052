#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "search/feedback_parts.h"

namespace assay {
namespace {

constexpr size_t kShownBytes = 240;
constexpr size_t kLinesOfFirst = 7;  // what GCC shows of one error, with the code and its marks
constexpr size_t kLastLines = 8;
constexpr size_t kMostFrames = 4;
constexpr size_t kMostMessage = 12;  // lines

// "In file included from ...": by which of the system's headers the compiler came to a place.
bool is_way_of_headers(std::string_view line) {
  const size_t begin = line.find_first_not_of(' ');
  return line.starts_with("In file included from ") ||
         (begin != std::string_view::npos && begin > 8 && line.substr(begin).starts_with("from /"));
}

// No longer than a line that somebody reads.
std::string cut(const std::string& line) {
  return line.size() > kShownBytes ? utf8(line.substr(0, kShownBytes)) + "..." : line;
}

std::vector<std::string> telling_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view each : lines_of(text)) {
    std::string line = printable(each, false);
    // What assay adds to what a process has printed.
    if (line.empty() || line.starts_with("in the round ") || line.starts_with("--- ")) continue;
    if (is_way_of_headers(line)) continue;
    lines.push_back(cut(line));
  }
  return lines;
}

bool is_error(std::string_view line) {
  return line.find("error:") != std::string_view::npos ||
         line.find("Error:") != std::string_view::npos ||
         line.find("undefined reference") != std::string_view::npos ||
         line.find("multiple definition") != std::string_view::npos;
}

// The code's line of that number, from 1; "" where it has none.
std::string line_of(const std::string& code, int64_t number) {
  std::string_view rest = code;
  for (int64_t i = 1; i < number && !rest.empty(); ++i)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  if (number < 1 || rest.empty()) return "";
  return cut(printable(rest.substr(0, rest.find('\n')), false));
}

std::optional<int64_t> number_at(std::string_view text) {
  int64_t number = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return std::nullopt;
  return number;
}

// "kernel.c:12:5: error: ..." says 12.
std::optional<int64_t> line_in(std::string_view message) {
  const size_t error = message.find("error:");
  for (size_t at = message.find(':'); at != std::string_view::npos && at < error;
       at = message.find(':', at + 1))
    if (auto number = number_at(message.substr(at + 1))) return number;
  return std::nullopt;
}

std::string block(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

struct Frame {
  std::string place, source;
};

// Of assay's own and of libraries, which nobody who reads it wrote.
bool is_foreign(std::string_view file) {
  for (const char* part : {"/assay_worker/", "/site-packages/", "/dist-packages/", "<frozen",
                           "/lib/python3", "<string>"})
    if (file.find(part) != std::string_view::npos) return true;
  return false;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80 || std::string_view("._-+~@%").contains(c);
}

// "   12 | int rows = all /rows/columns;": as compilers show a line of code.
bool shows_code(std::string_view line) {
  const size_t bar = line.find_first_not_of(" 0123456789");
  return bar != std::string_view::npos && bar > 1 && line[bar] == '|';
}

// Where the file ends in "/home/you/my kernels/x.h:3:1: error: ..."; 0: it does not begin so. What
// stands there may have blanks.
size_t end_of_place(std::string_view line) {
  if (!line.starts_with('/')) return 0;
  const size_t colon = line.find(':');
  return colon != std::string_view::npos && number_at(line.substr(colon + 1)) ? colon : 0;
}

// A path does not begin there: it is a division, or goes on.
bool is_amid(std::string_view text, size_t at) {
  if (at == 0) return false;
  if (at > 1 && text[at - 2] == '-' && std::string_view("IL").contains(text[at - 1])) return false;
  return is_of_name(text[at - 1]) || std::string_view("/)]").contains(text[at - 1]);
}

std::string line_without_paths(std::string_view text) {
  std::string result;
  size_t at = 0;
  if (const size_t place = end_of_place(text)) at = text.rfind('/', place) + 1;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("://") && !rest.starts_with(":///")) {  // an address
      const size_t end = std::min(text.find_first_of(" \t\n\"'<>", at), text.size());
      result += text.substr(at, end - at);
      at = end;
      continue;
    }
    // A path of two names or more. A single one may be a division.
    size_t end = at, name = at, names = 0;
    while (end < text.size() && text[end] == '/' && (names > 0 || !is_amid(text, at))) {
      const size_t next = text.find_first_not_of('/', end);
      if (next == std::string_view::npos || !is_of_name(text[next])) break;
      name = end = next;
      while (end < text.size() && is_of_name(text[end])) ++end;
      ++names;
    }
    result += names < 2 ? text.substr(at, 1) : text.substr(name, end - name);
    at = names < 2 ? at + 1 : end;
  }
  return result;
}

}  // namespace

std::string without_paths(std::string_view text) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    result += shows_code(line) ? std::string(line) : line_without_paths(line);
    begin = end;
  }
  return result;
}

std::string log_excerpt(const std::string& log, const std::string& code) {
  const std::vector<std::string> lines = telling_lines(log);
  if (lines.empty()) return "";
  auto first = std::ranges::find_if(lines, is_error);
  if (first == lines.end()) {
    const size_t count = std::min(lines.size(), 2 * kLastLines);
    return "The last lines:\n" + block({lines.end() - static_cast<ptrdiff_t>(count), lines.end()});
  }
  std::vector<std::string> shown{*first};
  bool has_source = false;
  auto next = first + 1;
  for (; next != lines.end() && shown.size() < kLinesOfFirst && !is_error(*next); ++next) {
    has_source |= next->find(" | ") != std::string::npos;
    shown.push_back(*next);
  }
  if (auto number = line_in(*first); number && !has_source)
    if (std::string source = line_of(code, *number); !source.empty())
      shown.insert(shown.begin() + 1, fmt::format("{:5} | {}", *number, source));
  std::string text = "The first error:\n" + block(shown);
  const auto errors = std::ranges::count_if(lines, is_error);
  auto last = lines.end() - std::min<ptrdiff_t>(lines.end() - next, kLastLines);
  if (last != lines.end())
    text += fmt::format("The last lines ({} line{} of the log {} an error):\n", errors,
                        errors == 1 ? "" : "s", errors == 1 ? "has" : "have") +
            block({last, lines.end()});
  return text;
}

std::string trace_excerpt(const std::string& traceback, const std::string& code) {
  std::vector<Frame> frames;
  const std::vector<std::string> lines = telling_lines(traceback);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const size_t begin = line.find("File \"");
    const size_t end = line.find("\", line ");
    if (begin == std::string::npos || end == std::string::npos) continue;
    const std::string file = line.substr(begin + 6, end - begin - 6);
    if (is_foreign(file)) continue;
    auto number = number_at(std::string_view(line).substr(end + 8));
    if (!number) continue;
    const size_t in = line.find(", in ", end);
    std::string source = line_of(code, *number);
    frames.push_back(
        {fmt::format("line {}{}", *number, in == std::string::npos ? "" : line.substr(in + 1)),
         source.substr(std::min(source.find_first_not_of(' '), source.size()))});
  }
  if (frames.empty()) return "";
  // What an exception says in several lines, as those of compilers in Python do.
  std::vector<std::string> message;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->find("File \"") != std::string::npos) break;
    message.insert(message.begin(), *line);
  }
  while (!message.empty() && message.front().starts_with(' ')) message.erase(message.begin());
  std::string text = "In the code:\n";
  const size_t skip = frames.size() > kMostFrames ? frames.size() - kMostFrames : 0;
  for (size_t i = skip; i < frames.size(); ++i)
    text += fmt::format("    {}: {}\n", frames[i].place, frames[i].source);
  if (message.size() > 1) {
    message.resize(std::min(message.size(), kMostMessage));
    text += "It says:\n" + block(message);
  }
  return text;
}

}  // namespace assay
