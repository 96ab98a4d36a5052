#include "measure/dispatch_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace assay {
namespace {

// Since whenever a clock began, which may be years; not a number: it is none that a time can be.
double time_in(std::string_view value) {
  char* last = nullptr;
  const std::string digits(value);
  const double ns = std::strtod(digits.c_str(), &last);
  return last == digits.c_str() || !std::isfinite(ns) || ns < 0 ? std::nan("") : ns;
}

// Of a product or a convolution, by the sizes in its name: the compiler names a dispatch by the
// operation at its root and that one's loops, "main_dispatch_3_matmul_64x32x48_f32". Nothing where
// it is another, or a size is known only when it runs. A pooling has the name of a convolution, and
// counts as one.
std::optional<int64_t> flops_by_name(std::string_view name) {
  constexpr std::string_view kSums[] = {"_matmul", "_matvec", "_vecmat", "_conv"};
  constexpr int64_t kMostProduct = int64_t{1} << 60;
  const bool sums_up =
      std::ranges::any_of(kSums, [&](std::string_view each) { return name.contains(each); });
  if (!sums_up) return std::nullopt;
  std::optional<int64_t> found;
  for (const auto part : std::views::split(name, '_')) {
    int64_t product = 1;
    size_t sizes = 0;
    bool is_sizes = true;
    for (const auto each : std::views::split(part, 'x')) {
      const std::string digits(each.begin(), each.end());
      const bool is_number =
          !digits.empty() && digits.size() < 10 &&
          std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
      is_sizes = is_sizes && is_number;
      if (!is_sizes) break;
      const int64_t size = std::stoll(digits);
      if (size > 0 && product > kMostProduct / size) return std::nullopt;
      product *= size;
      ++sizes;
    }
    if (is_sizes && sizes > 1) found = 2 * product;
  }
  return found;
}

// Of a call that takes as long as most: all that runs from one dispatch of this name to the next.
std::vector<PartEvent> usual_call(const std::vector<PartEvent>& events, const std::string& first) {
  std::vector<size_t> begins;
  for (size_t i = 0; i < events.size(); ++i)
    if (events[i].name == first) begins.push_back(i);
  begins.push_back(events.size());
  std::vector<std::pair<double, size_t>> spans;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const PartEvent& last = events[begins[i + 1] - 1];
    spans.emplace_back(last.begin_ns + last.ns - events[begins[i]].begin_ns, i);
  }
  std::ranges::nth_element(spans, spans.begin() + static_cast<long>(spans.size() / 2));
  const size_t chosen = spans[spans.size() / 2].second;
  std::vector<PartEvent> call(events.begin() + static_cast<long>(begins[chosen]),
                              events.begin() + static_cast<long>(begins[chosen + 1]));
  const double begin_ns = call.front().begin_ns;
  for (PartEvent& each : call) each.begin_ns -= begin_ns;
  return call;
}

}  // namespace

double read_call_ns(std::string_view text) {
  const size_t begin = text.find('{');
  if (begin == std::string_view::npos) return 0;
  auto json = parse_json(text.substr(begin), "what iree-benchmark-module says");
  if (!json || !json->contains("benchmarks") || !(*json)["benchmarks"].is_array()) return 0;
  for (const Json& each : (*json)["benchmarks"]) {
    if (!each.is_object() || !each.contains("cpu_time") || !each["cpu_time"].is_number()) continue;
    const Json unit = each.value("time_unit", Json());
    const double scale = unit == "ms" ? 1e6 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1;
    const double ns = each["cpu_time"].get<double>() * scale;
    return ns >= 0 && ns <= kMostPartNs ? ns : 0;
  }
  return 0;
}

std::optional<CallParts> read_dispatch_times(double call_ns, std::string_view text) {
  constexpr std::string_view kKeys[] = {"key", "duration_ns", "start_host_time_ns"};
  constexpr std::string_view kInitializer = "_initializer";  // runs once, as the program is loaded
  std::map<std::string, PartSeen> seen;
  std::vector<PartEvent> events;
  bool is_ordered = true;
  for (const std::string_view line : lines_of(text)) {
    if (!line.contains("\"host_dispatch_event\"")) continue;
    const auto values = values_in_json(line, kKeys);
    if (values[0].size() < 2 || values[1].empty()) continue;
    const double ns = time_in(values[1]), begin_ns = time_in(values[2]);
    if (std::isnan(ns) || ns > kMostPartNs) continue;
    is_ordered = is_ordered && !std::isnan(begin_ns);
    const std::string_view name = values[0].substr(1, values[0].size() - 2);
    if (name.starts_with(kInitializer)) continue;
    events.push_back({std::string(name.substr(0, kMostPartNameBytes)), begin_ns, ns});
    PartSeen& part = seen[events.back().name];
    if (part.ns.empty()) part.flops = flops_by_name(name);
    part.ns.push_back(ns);
  }
  if (seen.empty()) return std::nullopt;
  // Every dispatch runs in each call, but for those in loops and branches: the rarest tells how
  // many calls there were.
  size_t calls = SIZE_MAX;
  for (const auto& [name, each] : seen) calls = std::min(calls, each.ns.size());
  CallParts parts = call_parts(PartKind::dispatch, "iree-profile", calls, call_ns, seen);
  if (!is_ordered) return parts;
  std::ranges::stable_sort(events, {}, &PartEvent::begin_ns);
  const auto first = std::ranges::find_if(
      events, [&](const PartEvent& each) { return seen[each.name].ns.size() == calls; });
  parts.one_call = usual_call(events, first->name);
  if (parts.one_call.back().begin_ns > kMostPartNs) parts.one_call.clear();
  return parts;
}

}  // namespace assay
