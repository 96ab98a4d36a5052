#include "measure/dispatch_times.h"

#include <algorithm>
#include <charconv>
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

// Of a call that takes as long as most. Calls stand one behind the other, with as many events each.
std::vector<PartEvent> usual_call(const std::vector<PartEvent>& events, size_t of_a_call) {
  std::vector<std::pair<double, size_t>> spans;
  for (size_t begin = 0; begin < events.size(); begin += of_a_call) {
    const PartEvent& last = events[begin + of_a_call - 1];
    spans.emplace_back(last.begin_ns + last.ns - events[begin].begin_ns, begin);
  }
  std::ranges::nth_element(spans, spans.begin() + static_cast<long>(spans.size() / 2));
  const size_t chosen = spans[spans.size() / 2].second;
  std::vector<PartEvent> call(events.begin() + static_cast<long>(chosen),
                              events.begin() + static_cast<long>(chosen + of_a_call));
  const double begin_ns = call.front().begin_ns;
  for (PartEvent& each : call) each.begin_ns -= begin_ns;
  return call;
}

// What is said of a profile, of which the text may have a beginning alone.
struct Profiled {
  std::vector<PartEvent> events{};  // of calls
  size_t all = 0;                   // events of calls that the profile has
  bool is_ordered = true;
};

Profiled read_profile(std::string_view text) {
  constexpr std::string_view kKeys[] = {"key", "duration_ns", "start_host_time_ns"};
  constexpr std::string_view kInitializer = "_initializer";  // runs once, as the program is loaded
  constexpr std::string_view kTotal[] = {"total_host_dispatches"};
  Profiled profiled;
  size_t total = 0, of_no_call = 0;
  for (const std::string_view line : lines_of(text)) {
    if (line.contains("\"dispatch_summary\"")) {
      const double said = time_in(values_in_json(line, kTotal)[0]);
      if (said < kMostPartNs) total = std::max(total, static_cast<size_t>(said));
    }
    if (!line.contains("\"host_dispatch_event\"")) continue;
    const auto values = values_in_json(line, kKeys);
    const double ns = time_in(values[1]), begin_ns = time_in(values[2]);
    const bool is_named = values[0].size() >= 2;
    const std::string_view name =
        is_named ? values[0].substr(1, values[0].size() - 2) : std::string_view();
    if (!is_named || std::isnan(ns) || ns > kMostPartNs || name.starts_with(kInitializer)) {
      ++of_no_call;
      continue;
    }
    profiled.is_ordered = profiled.is_ordered && !std::isnan(begin_ns);
    profiled.events.push_back({std::string(name), begin_ns, ns});
  }
  profiled.all = std::max(profiled.events.size(), total - std::min(total, of_no_call));
  return profiled;
}

// "81920B peak / 163840B allocated / ..." behind the name of a kind of memory.
bool read_allocated(std::string_view text, std::string_view kind, uint64_t& peak, uint64_t& all) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  const size_t begin = text.find(kind);
  if (begin == std::string_view::npos) return false;
  std::string_view rest = text.substr(begin + kind.size());
  rest = rest.substr(0, rest.find('\n'));
  for (auto [word, number] : {std::pair{"B peak", &peak}, std::pair{"B allocated", &all}}) {
    const size_t end = rest.find(word);
    if (end == std::string_view::npos) return false;
    const std::string_view before = rest.substr(0, end);
    const std::string_view digits = before.substr(before.find_last_of(" /:") + 1);
    const auto [last, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), *number);
    if (failed != std::errc() || last != digits.data() + digits.size() || *number > kMost)
      return false;
  }
  return true;
}

}  // namespace

std::optional<AllocatorBytes> read_allocator_bytes(std::string_view text) {
  AllocatorBytes bytes;
  if (!read_allocated(text, "HOST_LOCAL:", bytes.host_peak, bytes.host_all) ||
      !read_allocated(text, "DEVICE_LOCAL:", bytes.device_peak, bytes.device_all))
    return std::nullopt;
  return bytes;
}

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

std::optional<CallParts> read_dispatch_times(double call_ns, size_t calls, std::string_view text) {
  Profiled profiled = read_profile(text);
  std::vector<PartEvent>& events = profiled.events;
  if (events.empty() || calls == 0) return std::nullopt;
  if (profiled.is_ordered) std::ranges::stable_sort(events, {}, &PartEvent::begin_ns);
  calls = std::min(calls, profiled.all);
  // All calls get the same, so they do the same, unless the program draws by lot.
  const size_t of_a_call = profiled.all % calls == 0 ? profiled.all / calls : 0;
  const bool has_whole_calls = of_a_call > 0 && events.size() >= of_a_call;
  if (has_whole_calls) {
    calls = events.size() / of_a_call;
    events.resize(calls * of_a_call);
  } else if (events.size() < profiled.all) {
    const double share = static_cast<double>(events.size()) / static_cast<double>(profiled.all);
    calls = std::max<size_t>(1, static_cast<size_t>(static_cast<double>(calls) * share));
  }
  std::map<std::string, PartSeen> seen;
  for (PartEvent& each : events) {
    PartSeen& part = seen[each.name.substr(0, kMostPartNameBytes)];
    if (part.ns.empty()) part.flops = flops_by_name(each.name);
    part.ns.push_back(each.ns);
    each.name.resize(std::min(each.name.size(), kMostPartNameBytes));
  }
  CallParts parts = call_parts(PartKind::dispatch, "iree-profile", calls, call_ns, seen);
  if (!profiled.is_ordered || !has_whole_calls) return parts;
  parts.one_call = usual_call(events, of_a_call);
  if (parts.one_call.back().begin_ns > kMostPartNs) parts.one_call.clear();
  return parts;
}

}  // namespace assay
