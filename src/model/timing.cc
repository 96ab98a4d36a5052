#include "model/timing.h"

#include <fmt/format.h>

namespace assay {
namespace {

Json to_json(const Times& times) {
  return {{"median_ns", times.median_ns}, {"p5_ns", times.p5_ns}, {"p95_ns", times.p95_ns}};
}

Result<Times> times_from_json(const Json& json) {
  JsonReader fields(json, "times");
  Times times{fields.number("median_ns"), fields.number("p5_ns"), fields.number("p95_ns")};
  ASSAY_TRY(fields.status());
  return times;
}

std::optional<uint64_t> optional_size(JsonReader& fields, const char* name) {
  const auto size = fields.optional_integer(name);
  if (!size) return std::nullopt;
  if (*size < 0) fields.fail(fmt::format("'{}' is no size", name));
  return static_cast<uint64_t>(*size);
}

Json to_json(const Speedup& speedup) {
  Json json{{"baseline", speedup.baseline},
            {"ratio", speedup.ratio},
            {"low", speedup.low},
            {"high", speedup.high},
            {"outcome", to_word(kOutcomeWords, speedup.outcome)},
            {"reason", speedup.reason.empty() ? Json(nullptr) : Json(speedup.reason)},
            {"cpu", to_json(speedup.cpu)},
            {"wall", to_json(speedup.wall)}};
  add(json, speedup.process);
  json.update({{"sol_score", or_null(speedup.sol_score)}, {"chance", or_null(speedup.chance)}});
  return json;
}

Result<Speedup> speedup_from_json(const Json& json) {
  JsonReader fields(json, "a speed-up");
  Speedup speedup;
  speedup.baseline = fields.text("baseline");
  speedup.ratio = fields.number("ratio");
  speedup.low = fields.number("low");
  speedup.high = fields.number("high");
  speedup.outcome = fields.word<Outcome>("outcome", kOutcomeWords);
  speedup.reason = fields.optional_text("reason").value_or("");
  speedup.process = costs_from(fields);
  if (fields.has("chance")) speedup.chance = fields.number("chance");
  if (fields.has("sol_score")) speedup.sol_score = fields.number("sol_score");
  ASSAY_TRY(fields.status());
  ASSAY_ASSIGN(speedup.cpu, times_from_json(fields.value("cpu")));
  ASSAY_ASSIGN(speedup.wall, times_from_json(fields.value("wall")));
  if (!(0 < speedup.low && speedup.low <= speedup.ratio && speedup.ratio <= speedup.high))
    return error(Code::corrupt, "a speed-up does not lie in its interval");
  if (speedup.reason.empty() != (speedup.outcome != Outcome::undecided))
    return error(Code::corrupt, "a reason belongs to a speed-up that is undecided and to no other");
  return speedup;
}

}  // namespace

void add(Json& json, const ProcessCosts& process) {
  json["setup_ns"] = process.setup_ns;
  json["first_call_ns"] = process.first_call_ns;
  json["peak_bytes"] = or_null(process.peak_bytes);
}

ProcessCosts costs_from(JsonReader& fields) {
  return {fields.integer("setup_ns"), fields.integer("first_call_ns"),
          optional_size(fields, "peak_bytes")};
}

Json to_json(const Timing& timing) {
  Json json{{"metric", to_word(kMetricWords, timing.metric)},
            {"cache", to_word(kCacheModeWords, timing.cache)},
            {"threads", timing.threads},
            {"provisional", timing.provisional},
            {"cpu", to_json(timing.cpu)},
            {"wall", to_json(timing.wall)}};
  add(json, timing.process);
  json.update({{"bytes", timing.bytes},
               {"flops", or_null(timing.flops)},
               {"bound_ns", or_null(timing.bound_ns)},
               {"type_without_peak", or_null(timing.type_without_peak)},
               {"labels", timing.labels},
               {"speedups", Json::array()}});
  for (const Speedup& each : timing.speedups) json["speedups"].push_back(to_json(each));
  return json;
}

Result<Timing> timing_from_json(const Json& json) {
  JsonReader fields(json, "a timing");
  Timing timing;
  timing.metric = fields.word<Metric>("metric", kMetricWords);
  timing.cache = fields.word<CacheMode>("cache", kCacheModeWords);
  timing.threads = static_cast<int>(fields.integer("threads"));
  timing.provisional = fields.boolean("provisional");
  timing.process = costs_from(fields);
  const int64_t bytes = fields.integer("bytes");
  if (bytes < 0) fields.fail("'bytes' is no size");
  timing.bytes = static_cast<uint64_t>(bytes);
  timing.flops = fields.optional_integer("flops");
  if (fields.has("bound_ns")) timing.bound_ns = fields.number("bound_ns");
  timing.type_without_peak = fields.optional_text("type_without_peak").value_or("");
  timing.labels = fields.texts("labels");
  ASSAY_TRY(fields.status());
  ASSAY_ASSIGN(timing.cpu, times_from_json(fields.value("cpu")));
  ASSAY_ASSIGN(timing.wall, times_from_json(fields.value("wall")));
  const Json& speedups = fields.value("speedups");
  if (!speedups.is_array() || speedups.empty())
    return error(Code::corrupt, "a timing has no list of speed-ups");
  for (const Json& each : speedups) {
    ASSAY_ASSIGN(Speedup speedup, speedup_from_json(each));
    timing.speedups.push_back(std::move(speedup));
  }
  return timing;
}

}  // namespace assay
