#include "report/phases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "report/diff.h"
#include "report/figures.h"

namespace assay {
namespace {

constexpr std::string_view kHead = "// -----// IR Dump After ", kHeadEnd = " //----- //";

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$';
}

// The operation that a line begins with, behind its results: "%4:2 = "; "": there is none.
std::string_view operation_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with('%')) {
    const size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return "";
    line.remove_prefix(equals + 3);
  }
  if (line.starts_with('"')) line.remove_prefix(1);  // in the generic form
  size_t end = 0;
  while (end < line.size() && is_of_name(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  const size_t dot = word.find('.');
  // Dialects' names are in small letters; what else has a dot is a number, say.
  if (dot == 0 || dot == std::string_view::npos || word[0] < 'a' || word[0] > 'z') return "";
  return word;
}

}  // namespace

bool read_phase_name(std::string_view file, Phase& phase) {
  if (!file.ends_with(".mlir")) return false;
  file.remove_suffix(5);
  const size_t name = file.rfind('.');
  if (name == std::string_view::npos || name == 0) return false;
  const size_t number = file.rfind('.', name - 1);
  if (number == std::string_view::npos) return false;
  const char *begin = file.data() + number + 1, *end = file.data() + name;
  auto [last, failed] = std::from_chars(begin, end, phase.number);
  phase.name = file.substr(name + 1);
  return failed == std::errc() && last == end && phase.number > 0 && !phase.name.empty();
}

std::map<std::string, size_t> operation_counts(std::string_view text) {
  std::map<std::string, size_t> counts;
  for (const std::string_view line : lines_of(text))
    if (const std::string_view operation = operation_of(line); !operation.empty())
      ++counts[std::string(operation)];
  return counts;
}

OperationsSeen operations_seen(std::string_view text) {
  constexpr size_t kMostNames = 4;
  const std::map<std::string, size_t> counts = operation_counts(text);
  OperationsSeen seen;
  std::vector<std::pair<std::string, size_t>> most(counts.begin(), counts.end());
  for (const auto& [name, count] : most) seen.all += count;
  std::ranges::stable_sort(most, std::greater(), &std::pair<std::string, size_t>::second);
  most.resize(std::min(most.size(), kMostNames));
  std::vector<std::string> words;
  for (const auto& [name, count] : most) words.push_back(fmt::format("{} {}", name, count));
  seen.most = fmt::format("{}", fmt::join(words, ", "));
  return seen;
}

std::vector<Row> phase_rows(const std::vector<Phase>& phases) {
  std::vector<Row> rows{{"", "phase", "time", "size", "operations", "most of all"}};
  for (const Phase& phase : phases) {
    const OperationsSeen seen = operations_seen(phase.text);
    rows.push_back({std::to_string(phase.number), phase.name, duration_cell(phase.wall_ns),
                    format_bytes(phase.text.size()), std::to_string(seen.all), seen.most});
  }
  return rows;
}

std::vector<PassDump> read_pass_dumps(std::string_view printed) {
  std::vector<PassDump> passes;
  for (std::string_view line : lines_of(printed)) {
    if (line.starts_with(kHead) && line.ends_with(kHeadEnd)) {
      line.remove_prefix(kHead.size());
      line.remove_suffix(kHeadEnd.size());
      PassDump& pass = passes.emplace_back();
      const size_t where = line.rfind(" ('");
      pass.name = trimmed(line.substr(0, where));
      if (where != std::string_view::npos && line.ends_with(')'))
        pass.where = line.substr(where + 2, line.size() - where - 3);
    } else if (!passes.empty()) {
      passes.back().text += line;
      passes.back().text += '\n';
    }
  }
  // A blank line stands between one and the next.
  for (PassDump& pass : passes) pass.text = std::string(trimmed(pass.text)) + "\n";
  return passes;
}

std::string passes_in_diffs(std::string_view before, const std::vector<PassDump>& passes) {
  std::string text;
  std::string last = std::string(trimmed(before)) + "\n";
  for (const PassDump& pass : passes) {
    const std::string diff = unified_diff(last, pass.text);
    if (diff.empty()) continue;
    text +=
        fmt::format("=== {}{}\n{}", pass.name, pass.where.empty() ? "" : ", " + pass.where, diff);
    last = pass.text;
  }
  return text;
}

}  // namespace assay
