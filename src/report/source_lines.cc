#include "report/source_lines.h"

#include <charconv>
#include <string_view>

namespace assay {
namespace {

// What stands between a file's name and the number of a line. 0: no number does.
size_t between(std::string_view rest) {
  for (std::string_view each : {":", "\", line "})
    if (rest.starts_with(each)) return each.size();
  return 0;
}

}  // namespace

std::vector<SourceLine> lines_named(const Attempt& attempt, const std::string& file_name) {
  std::vector<SourceLine> lines;
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding || file_name.empty()) return lines;
  const std::string text = deciding->error + "\n" + deciding->detail;
  for (size_t at = text.find(file_name); at != std::string::npos;
       at = text.find(file_name, at + 1)) {
    const size_t skipped = between(std::string_view(text).substr(at + file_name.size()));
    const char* number = text.data() + at + file_name.size() + skipped;
    int line = 0;
    auto [end, code] = std::from_chars(number, text.data() + text.size(), line);
    if (skipped == 0 || code != std::errc() || line < 1) continue;
    const auto rest = static_cast<size_t>(end - text.data());
    std::string said = text.substr(rest, text.find('\n', rest) - rest);
    said.erase(0, said.find_first_not_of(":0123456789, )"));
    if (said.empty()) said = deciding->error;
    if (lines.empty() || lines.back().line != line) lines.push_back({line, said});
  }
  return lines;
}

}  // namespace assay
