#include "measure/call_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "base/escape.h"
#include "base/units.h"
#include "measure/interval.h"

namespace assay {
namespace {

constexpr size_t kMostParts = 64;

Json allocator_json(const std::optional<AllocatorBytes>& bytes) {
  if (!bytes) return nullptr;
  return {{"device_peak_bytes", bytes->device_peak},
          {"device_bytes", bytes->device_all},
          {"host_peak_bytes", bytes->host_peak},
          {"host_bytes", bytes->host_all}};
}

std::optional<AllocatorBytes> allocator_from_json(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  JsonReader reader(json, "what an allocator counts");
  const int64_t counts[] = {reader.integer("device_peak_bytes"), reader.integer("device_bytes"),
                            reader.integer("host_peak_bytes"), reader.integer("host_bytes")};
  if (!reader.status() || std::ranges::min(counts) < 0) return std::nullopt;
  auto bytes = [&](size_t which) { return static_cast<uint64_t>(counts[which]); };
  return AllocatorBytes{bytes(0), bytes(1), bytes(2), bytes(3)};
}

}  // namespace

double CallParts::parts_ns() const {
  double all_ns = left_out_ns;
  for (const CallPart& each : parts) all_ns += each.of_call_ns();
  return all_ns;
}

double CallParts::whole_ns() const { return std::max(call_ns, parts_ns()); }

CallParts call_parts(PartKind kind, std::string by, size_t calls, double call_ns,
                     const std::map<std::string, PartSeen>& seen) {
  CallParts parts{.kind = kind, .by = std::move(by), .calls = calls, .call_ns = call_ns};
  for (const auto& [name, each] : seen)
    parts.parts.push_back(
        {.name = name,
         .per_call = static_cast<double>(each.ns.size()) / static_cast<double>(calls),
         .median_ns = quantile(each.ns, 0.5),
         .low_ns = quantile(each.ns, 0.1),
         .high_ns = quantile(each.ns, 0.9),
         .flops = each.flops,
         .bytes = each.bytes});
  std::ranges::stable_sort(parts.parts, std::greater(), &CallPart::of_call_ns);
  const size_t kept = std::min(parts.parts.size(), kMostParts);
  parts.left_out = parts.parts.size() - kept;
  for (const CallPart& each : parts.parts | std::views::drop(kept))
    parts.left_out_ns += each.of_call_ns();
  parts.parts.resize(kept);
  return parts;
}

Json to_json(const CallParts& parts) {
  Json list = Json::array();
  for (const CallPart& each : parts.parts)
    list.push_back({{"name", each.name},
                    {"per_call", each.per_call},
                    {"median_ns", each.median_ns},
                    {"low_ns", each.low_ns},
                    {"high_ns", each.high_ns},
                    {"flops", or_null(each.flops)},
                    {"bytes", or_null(each.bytes)},
                    {"bound_ns", or_null(each.bound_ns)}});
  return {{"part", to_word(kPartKindWords, parts.kind)},
          {"by", parts.by},
          {"calls", parts.calls},
          {"call_ns", parts.call_ns},
          {"parts", std::move(list)},
          {"left_out", parts.left_out},
          {"left_out_ns", parts.left_out_ns},
          {"outside_ns", parts.outside_ns()},
          {"allocator", allocator_json(parts.allocator)}};
}

std::optional<CallParts> call_parts_from_json(const Json& json) {
  JsonReader reader(json, "parts of a call");
  const int64_t calls = reader.integer("calls"), left_out = reader.integer("left_out");
  CallParts parts{.kind = reader.word<PartKind>("part", kPartKindWords),
                  .by = reader.text("by"),
                  .calls = static_cast<size_t>(calls),
                  .call_ns = reader.number("call_ns"),
                  .left_out = static_cast<size_t>(left_out),
                  .left_out_ns = reader.number("left_out_ns"),
                  .allocator = json.is_object() && json.contains("allocator")
                                   ? allocator_from_json(json["allocator"])
                                   : std::nullopt};
  if (!reader.status() || calls < 0 || left_out < 0 || !json.contains("parts")) return std::nullopt;
  for (const Json& each : json["parts"]) {
    JsonReader one(each, "a part of a call");
    parts.parts.push_back(
        {.name = one.text("name"),
         .per_call = one.number("per_call"),
         .median_ns = one.number("median_ns"),
         .low_ns = one.number("low_ns"),
         .high_ns = one.number("high_ns"),
         .flops = one.optional_integer("flops"),
         .bytes = one.optional_integer("bytes"),
         .bound_ns = one.has("bound_ns") ? one.optional_integer("bound_ns") : std::nullopt});
    if (!one.status()) return std::nullopt;
  }
  if (!(parts.parts_ns() > 0) || !std::isfinite(parts.whole_ns())) return std::nullopt;
  return parts;
}

Json with_one_call(const CallParts& parts) {
  Json json = to_json(parts);
  Json& list = json[kOneCall] = Json::array();
  for (const PartEvent& each : parts.one_call)
    list.push_back(Json::array({each.name, each.begin_ns, each.ns}));
  return json;
}

std::vector<PartEvent> one_call_from_json(const Json& json) {
  std::vector<PartEvent> events;
  if (!json.is_object() || !json.contains(kOneCall) || !json[kOneCall].is_array()) return events;
  for (const Json& each : json[kOneCall])
    if (each.is_array() && each.size() == 3 && each[0].is_string() && each[1].is_number() &&
        each[2].is_number())
      events.push_back({each[0].get<std::string>(), each[1].get<double>(), each[2].get<double>()});
  return events;
}

std::string parts_in_words(const Json& counted) {
  constexpr size_t kMostNamed = 3;
  const auto parts = call_parts_from_json(counted);
  if (!parts || parts->call_ns <= 0) return "";
  const double all_ns = parts->parts_ns();
  std::string most;
  for (const CallPart& each : parts->parts | std::views::take(kMostNamed))
    most += fmt::format("{}{:.0f} % {}", most.empty() ? "" : ", ", 100 * each.of_call_ns() / all_ns,
                        printable(each.name, false));
  const std::string_view what = plural(parts->kind);
  return fmt::format("Of a call's {}, {} is in {}: {}.",
                     format_duration(std::llround(parts->call_ns)),
                     format_duration(std::llround(all_ns)),
                     parts->kind == PartKind::dispatch
                         ? fmt::format("{} {}", parts->count(), what)
                         : fmt::format("torch's {}, {} of them", what, parts->count()),
                     most);
}

}  // namespace assay
