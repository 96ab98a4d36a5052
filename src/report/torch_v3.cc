// Records of PyTorch's benchmark database, version 3, as its CI uploads them: a list with a record
// for each metric of each attempt. `accuracy` is 1 where it is accepted and 0 where it is wrong or
// broken; times and speed-ups are there where they are decided, each with its interval beside it.
#include "report/format.h"
#include "report/speed.h"

namespace assay {
namespace {

Json text_of(const Json& machine, const char* name) {
  return machine.is_object() && machine.contains(name) ? machine[name] : Json();
}

// What all metrics of an attempt have in common.
Json base_of(const RunRecord& run, const Attempt& attempt) {
  Json dependencies = Json::object();
  for (const char* name : {"torch", "iree-turbine", "iree-base-compiler"})
    if (Json version = text_of(run.machine, name); version.is_string())
      dependencies[name] = {{"type", "python"}, {"version", std::move(version)}};
  return {{"benchmark",
           {{"name", "assay"},
            {"mode", "inference"},
            {"dtype", to_word(kPrecisionWords, attempt.precision)},
            {"extra_info",
             {{"suite", attempt.suite},
              {"level", attempt.level},
              {"device", attempt.target},
              {"attempt", attempt.id},
              {"assay_version", run.assay_version}}}}},
          {"model",
           {{"name", attempt.workload},
            {"type", attempt.level.empty() ? attempt.suite : attempt.suite + "/" + attempt.level},
            {"backend", attempt.author},
            {"origins", Json::array()}}},
          {"metric", nullptr},
          {"runners",
           {{{"name", text_of(run.machine, "host")},
             {"type", attempt.target},
             {"extra_info", {{"cpu", text_of(run.machine, "CPU")}}}}}},
          {"inputs", Json::object()},
          {"dependencies", std::move(dependencies)}};
}

Json metric(const std::string& name, double value, Json extra) {
  return {{"name", name},
          {"benchmark_values", {value}},
          {"target_value", 0},
          {"extra_info", std::move(extra)}};
}

std::vector<Json> metrics_of(const Attempt& attempt) {
  std::vector<Json> metrics;
  const bool is_judged =
      attempt.verdict == Verdict::accepted || attempt.verdict == Verdict::rejected ||
      (attempt.verdict == Verdict::failed && fault_of(attempt) == Fault::candidate);
  if (is_judged)
    metrics.push_back(metric("accuracy", attempt.verdict == Verdict::accepted ? 1 : 0,
                             {{"verdict", verdict_in_words(attempt)}}));
  if (!attempt.timing || attempt.timing->provisional) return metrics;
  const Timing& timing = *attempt.timing;
  const Times& times = by(timing.metric, timing.cpu, timing.wall);
  metrics.push_back(metric("latency_ns", times.median_ns,
                           {{"clock", to_word(kMetricWords, timing.metric)},
                            {"p5", times.p5_ns},
                            {"p95", times.p95_ns}}));
  for (const Speedup& each : timing.speedups)
    if (each.outcome != Outcome::undecided && has_interval(timing, each))
      metrics.push_back(metric("speedup", each.ratio,
                               {{"baseline", each.baseline},
                                {"outcome", to_word(kOutcomeWords, each.outcome)},
                                {"low", each.low},
                                {"high", each.high}}));
  return metrics;
}

}  // namespace

void render_torch_v3(const ReportInput& input, ReportSink& sink) {
  sink.write("[");
  const char* separator = "\n";
  for (const Attempt& attempt : input.attempts) {
    for (Json& each : metrics_of(attempt)) {
      Json record = base_of(input.run, attempt);
      record["metric"] = std::move(each);
      sink.write(separator + dump_json(record));
      separator = ",\n";
    }
  }
  sink.write("\n]\n");
}

}  // namespace assay
