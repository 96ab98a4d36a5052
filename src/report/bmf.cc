// Bencher Metric Format: by attempt its measures, each a value with the ends of its interval.
// `speedup` has the interval over launches; `latency` is the median of a call in nanoseconds, by
// the clock that decided, with its 5th and 95th percentile. What is undecided or provisional is
// left out: a chart of it would show what nobody knows.
#include "report/figures.h"
#include "report/format.h"
#include "report/speed.h"

namespace assay {
namespace {

Json measure(double value, double low, double high) {
  return {{"value", value}, {"lower_value", low}, {"upper_value", high}};
}

}  // namespace

void render_bmf(const ReportInput& input, ReportSink& sink) {
  Json all = Json::object();
  for (const Attempt& attempt : input.attempts) {
    Json measures = Json::object();
    const AttemptFigures figures = figures_of(attempt);
    if (figures.compile_ns) measures["compile-time"] = {{"value", *figures.compile_ns}};
    if (figures.artifact_bytes) measures["file-size"] = {{"value", *figures.artifact_bytes}};
    if (attempt.timing && !attempt.timing->provisional) {
      const Times& times = by(attempt.timing->metric, attempt.timing->cpu, attempt.timing->wall);
      measures["latency"] = measure(times.median_ns, times.p5_ns, times.p95_ns);
      for (const Speedup& each : attempt.timing->speedups)
        if (each.outcome != Outcome::undecided && has_interval(*attempt.timing, each))
          measures["speedup-" + each.baseline] = measure(each.ratio, each.low, each.high);
    }
    if (!measures.empty()) all[attempt.id] = std::move(measures);
  }
  sink.write(dump_json(all, 1) + "\n");
}

}  // namespace assay
