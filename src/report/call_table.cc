#include "report/call_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "base/escape.h"
#include "base/units.h"
#include "report/table.h"

namespace assay {
namespace {

std::string part_time_cell(double ns) { return format_duration(std::llround(ns)); }

// "2.15 MFLOP"
std::string flops_cell(const std::optional<int64_t>& flops) {
  if (!flops) return "";
  constexpr const char* kUnits[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"};
  auto value = static_cast<double>(*flops);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string part_bytes_cell(const std::optional<int64_t>& bytes) {
  return bytes && *bytes > 0 ? format_bytes(static_cast<uint64_t>(*bytes)) : "";
}

// How near it is to the least that it can take.
std::string roofline_cell(const CallPart& part) {
  if (!part.bound_ns || part.median_ns <= 0) return "";
  return fmt::format("{:.0f} %", 100 * static_cast<double>(*part.bound_ns) / part.median_ns);
}

bool is_dispatch(const CallParts& parts) { return parts.kind == PartKind::dispatch; }

// A head, parts, what is left out, and what is in no part: shares of the whole call, which they sum
// up to.
std::vector<Row> part_rows(const CallParts& parts, size_t most) {
  const bool has_work = std::ranges::any_of(
      parts.parts, [](const CallPart& each) { return each.flops || each.bytes; });
  const bool has_bound = std::ranges::any_of(
      parts.parts, [](const CallPart& each) { return each.bound_ns.has_value(); });
  std::vector<Row> rows{{"share", "of a call", "each", "10 to 90 %"}};
  if (has_work) {
    rows.front().emplace_back("computes");
    rows.front().emplace_back("moves");
  }
  if (has_bound) rows.front().emplace_back("of roofline");
  rows.front().emplace_back(to_word(kPartKindWords, parts.kind));
  auto share = [&](double ns) { return fmt::format("{:.0f} %", 100 * ns / parts.whole_ns()); };
  double rest_ns = parts.left_out_ns;
  for (const CallPart& each : parts.parts | std::views::drop(most)) rest_ns += each.of_call_ns();
  for (const CallPart& each : parts.parts | std::views::take(most)) {
    Row& row = rows.emplace_back(
        Row{share(each.of_call_ns()), part_time_cell(each.of_call_ns()),
            each.per_call == 1
                ? part_time_cell(each.median_ns)
                : fmt::format("{} x {:.3g}", part_time_cell(each.median_ns), each.per_call),
            fmt::format("{} to {}", part_time_cell(each.low_ns), part_time_cell(each.high_ns))});
    if (has_work) {
      row.push_back(flops_cell(each.flops));
      row.push_back(part_bytes_cell(each.bytes));
    }
    if (has_bound) row.push_back(roofline_cell(each));
    row.push_back(terminal_text(each.name));
  }
  auto add = [&](double ns, std::string what) {
    Row& row = rows.emplace_back(Row{share(ns), part_time_cell(ns), "", ""});
    if (has_work) row.resize(row.size() + 2);
    if (has_bound) row.resize(row.size() + 1);
    row.push_back(std::move(what));
  };
  if (const size_t shown = std::min(most, parts.parts.size()); shown < parts.count())
    add(rest_ns, fmt::format("{} more", parts.count() - shown));
  if (parts.outside_ns() > 0)
    add(parts.outside_ns(), fmt::format("outside of {}", plural(parts.kind)));
  return rows;
}

std::string parts_title(const CallParts& parts) {
  std::string title = fmt::format("{} of a call's {}, by {}", part_time_cell(parts.parts_ns()),
                                  part_time_cell(parts.call_ns), terminal_text(parts.by));
  return is_dispatch(parts) ? title + ", alone and on one core" : title;
}

// Nothing where it was not asked: of torch's operators, and in records of older runs.
std::string allocator_in_words(const std::optional<AllocatorBytes>& bytes) {
  if (!bytes) return "";
  std::string words =
      fmt::format("{} at most by IREE's allocator, of {} in all", format_bytes(bytes->device_peak),
                  format_bytes(bytes->device_all));
  if (bytes->host_peak > 0)
    words += fmt::format("; {} at most of the host's, of {}", format_bytes(bytes->host_peak),
                         format_bytes(bytes->host_all));
  return words + ": a call with its weights, inputs and results";
}

}  // namespace

std::optional<FoundParts> parts_found(const Json& counters) {
  if (!counters.is_object()) return std::nullopt;
  for (const auto& [name, counted] : counters.items())
    if (counted.is_object() && counted.contains("part"))
      if (auto parts = call_parts_from_json(counted)) return FoundParts{name, *std::move(parts)};
  return std::nullopt;
}

std::string parts_in_lines(const CallParts& parts) {
  constexpr size_t kMost = 12;
  std::vector<Row> rows = part_rows(parts, kMost);
  for (Row& row : rows) row.front() = "      " + row.front();
  std::string lines =
      fmt::format("    {:<16}{}\n", plural(parts.kind), parts_title(parts)) + text_table(rows);
  if (is_dispatch(parts) && !parts.parts.empty())
    lines += fmt::format("      the program of one: assay phases RUN ATTEMPT --dispatch {}\n",
                         shell_quote(parts.parts.front().name));
  if (const std::string words = allocator_in_words(parts.allocator); !words.empty())
    lines += fmt::format("    {:<16}{}\n", "device memory", words);
  return lines;
}

Json parts_in_cells(const CallParts& parts) {
  std::vector<Row> rows = part_rows(parts, parts.parts.size());
  Json cells{{"title", parts_title(parts)}, {"head", rows.front()}, {"rows", Json::array()}};
  for (const Row& row : rows | std::views::drop(1)) cells["rows"].push_back(row);
  return cells;
}

}  // namespace assay
