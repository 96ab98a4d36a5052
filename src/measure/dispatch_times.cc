#include "measure/dispatch_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "measure/interval.h"

namespace assay {
namespace {

constexpr size_t kMostDispatches = 64;

}  // namespace

double DispatchTimes::dispatches_ns() const {
  double all_ns = 0;
  for (const DispatchTime& each : dispatches) all_ns += each.of_call_ns();
  return all_ns;
}

std::optional<DispatchTimes> read_dispatch_times(double call_ns, std::string_view events) {
  constexpr std::string_view kKeys[] = {"key", "duration_ns"};
  std::map<std::string, std::vector<double>> by_name;
  for (const std::string_view line : lines_of(events)) {
    if (!line.contains("\"host_dispatch_event\"")) continue;
    const auto values = values_in_json(line, kKeys);
    if (values[0].size() < 2 || values[1].empty()) continue;
    char* last = nullptr;
    const std::string digits(values[1]);
    const double ns = std::strtod(digits.c_str(), &last);
    if (last == digits.c_str() || !std::isfinite(ns) || ns < 0) continue;
    by_name[std::string(values[0].substr(1, values[0].size() - 2))].push_back(ns);
  }
  if (by_name.empty()) return std::nullopt;
  // Every dispatch runs in each call, but for those in loops and branches: the rarest tells how
  // many calls there were.
  DispatchTimes times{.calls = SIZE_MAX, .call_ns = call_ns};
  for (const auto& [name, ns] : by_name) times.calls = std::min(times.calls, ns.size());
  for (const auto& [name, ns] : by_name) {
    times.dispatches.push_back(
        {.name = name,
         .per_call = static_cast<double>(ns.size()) / static_cast<double>(times.calls),
         .median_ns = quantile(ns, 0.5),
         .low_ns = quantile(ns, 0.1),
         .high_ns = quantile(ns, 0.9)});
  }
  std::ranges::stable_sort(times.dispatches, std::greater(), &DispatchTime::of_call_ns);
  const size_t kept = std::min(times.dispatches.size(), kMostDispatches);
  times.left_out = times.dispatches.size() - kept;
  times.dispatches.resize(kept);
  return times;
}

Json to_json(const DispatchTimes& times) {
  Json list = Json::array();
  for (const DispatchTime& each : times.dispatches)
    list.push_back({{"name", each.name},
                    {"per_call", each.per_call},
                    {"median_ns", each.median_ns},
                    {"low_ns", each.low_ns},
                    {"high_ns", each.high_ns}});
  return {{"calls", times.calls},
          {"call_ns", times.call_ns},
          {"dispatches", std::move(list)},
          {"left_out", times.left_out}};
}

std::optional<DispatchTimes> dispatch_times_from_json(const Json& json) {
  JsonReader reader(json, "times of dispatches");
  const int64_t calls = reader.integer("calls"), left_out = reader.integer("left_out");
  DispatchTimes times{.calls = static_cast<size_t>(calls),
                      .call_ns = reader.number("call_ns"),
                      .left_out = static_cast<size_t>(left_out)};
  if (!reader.status() || calls < 0 || left_out < 0 || !json.contains("dispatches"))
    return std::nullopt;
  for (const Json& each : json["dispatches"]) {
    JsonReader one(each, "the time of a dispatch");
    times.dispatches.push_back({.name = one.text("name"),
                                .per_call = one.number("per_call"),
                                .median_ns = one.number("median_ns"),
                                .low_ns = one.number("low_ns"),
                                .high_ns = one.number("high_ns")});
    if (!one.status()) return std::nullopt;
  }
  if (times.dispatches_ns() <= 0) return std::nullopt;
  return times;
}

std::string dispatches_in_words(const Json& counted) {
  constexpr size_t kMostNamed = 3;
  const auto times = dispatch_times_from_json(counted);
  if (!times || times->call_ns <= 0) return "";
  const double all_ns = times->dispatches_ns();
  std::string most;
  for (const DispatchTime& each : times->dispatches | std::views::take(kMostNamed))
    most += fmt::format("{}{:.0f} % {}", most.empty() ? "" : ", ", 100 * each.of_call_ns() / all_ns,
                        printable(each.name, false));
  return fmt::format("Of a call's {}, {} is in {} dispatches: {}.",
                     format_duration(std::llround(times->call_ns)),
                     format_duration(std::llround(all_ns)), times->count(), most);
}

}  // namespace assay
