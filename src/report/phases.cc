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

PassDiffs::PassDiffs(std::string_view before, Take take)
    : last_(std::string(trimmed(before)) + "\n"), take_(std::move(take)) {}

Status PassDiffs::line(std::string_view line) {
  if (line.starts_with(kHead) && line.ends_with(kHeadEnd)) {
    ASSAY_TRY(end());
    line.remove_prefix(kHead.size());
    line.remove_suffix(kHeadEnd.size());
    pass_.emplace();
    const size_t where = line.rfind(" ('");
    pass_->name = trimmed(line.substr(0, where));
    if (where != std::string_view::npos && line.ends_with(')'))
      pass_->where = line.substr(where + 2, line.size() - where - 3);
  } else if (pass_) {
    pass_->text += line;
    pass_->text += '\n';
  }
  return {};
}

Status PassDiffs::end() {
  if (!pass_) return {};
  const PassDump pass = *std::exchange(pass_, std::nullopt);
  // A blank line stands between one and the next.
  std::string text = std::string(trimmed(pass.text)) + "\n";
  const std::string diff = unified_diff(last_, text);
  if (diff.empty()) return {};
  last_ = std::move(text);
  found_any_ = true;
  return take_(
      fmt::format("=== {}{}\n{}", pass.name, pass.where.empty() ? "" : ", " + pass.where, diff));
}

}  // namespace assay
