#include "measure/dispatch_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/escape.h"
#include "base/units.h"

namespace assay {
namespace {

constexpr size_t kMostDispatches = 64;

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Dispatch {
  std::string name;
  std::vector<double> ns;
  double per_call = 1;

  double of_call() const { return per_call * quantile(ns, 0.5); }
};

double number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

Json read_dispatch_times(double call_ns, std::string_view events) {
  constexpr std::string_view kKeys[] = {"key", "duration_ns"};
  std::map<std::string, Dispatch> by_name;
  while (!events.empty()) {
    const size_t end = events.find('\n');
    const std::string_view line = events.substr(0, end);
    events.remove_prefix(end == std::string_view::npos ? events.size() : end + 1);
    if (!line.contains("\"host_dispatch_event\"")) continue;
    const auto values = values_in_json(line, kKeys);
    if (values[0].size() < 2 || values[1].empty()) continue;
    const std::string name(values[0].substr(1, values[0].size() - 2));
    char* last = nullptr;
    const std::string digits(values[1]);
    const double ns = std::strtod(digits.c_str(), &last);
    if (last == digits.c_str() || !std::isfinite(ns) || ns < 0) continue;
    Dispatch& dispatch = by_name[name];
    dispatch.name = name;
    dispatch.ns.push_back(ns);
  }
  if (by_name.empty()) return nullptr;
  // Every dispatch runs in each call, but for those in loops and branches: the rarest tells how
  // many calls there were.
  size_t calls = SIZE_MAX;
  for (const auto& [name, dispatch] : by_name) calls = std::min(calls, dispatch.ns.size());
  std::vector<Dispatch> dispatches;
  for (auto& [name, dispatch] : by_name) {
    std::ranges::sort(dispatch.ns);
    dispatch.per_call = static_cast<double>(dispatch.ns.size()) / static_cast<double>(calls);
    dispatches.push_back(std::move(dispatch));
  }
  std::ranges::stable_sort(dispatches, std::greater(), &Dispatch::of_call);
  Json list = Json::array();
  for (const Dispatch& each : dispatches) {
    if (list.size() == kMostDispatches) break;
    list.push_back({{"name", each.name},
                    {"per_call", each.per_call},
                    {"median_ns", quantile(each.ns, 0.5)},
                    {"low_ns", quantile(each.ns, 0.1)},
                    {"high_ns", quantile(each.ns, 0.9)}});
  }
  const size_t left_out = dispatches.size() - list.size();
  return {{"calls", calls},
          {"call_ns", call_ns},
          {"dispatches", std::move(list)},
          {"left_out", left_out}};
}

std::string dispatches_in_words(const Json& counted) {
  constexpr size_t kMostNamed = 3;
  const auto dispatches = counted.find("dispatches");
  if (dispatches == counted.end() || !dispatches->is_array()) return "";
  double all_ns = 0;
  for (const Json& each : *dispatches)
    if (each.is_object()) all_ns += number_in(each, "per_call") * number_in(each, "median_ns");
  const double call_ns = number_in(counted, "call_ns");
  if (all_ns <= 0 || call_ns <= 0) return "";
  std::string most;
  for (const Json& each : *dispatches) {
    if (!each.is_object() || &each - &dispatches->front() >= static_cast<long>(kMostNamed)) break;
    const double ns = number_in(each, "per_call") * number_in(each, "median_ns");
    most += fmt::format("{}{:.0f} % {}", most.empty() ? "" : ", ", 100 * ns / all_ns,
                        printable(each.value("name", ""), false));
  }
  return fmt::format("Of a call's {}, {} is in {} dispatches: {}.",
                     format_duration(std::llround(call_ns)), format_duration(std::llround(all_ns)),
                     dispatches->size() + static_cast<size_t>(number_in(counted, "left_out")),
                     most);
}

}  // namespace assay
