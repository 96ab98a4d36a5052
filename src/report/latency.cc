// A table of latencies, as scripts that measure whole models keep them: one row for each attempt,
// with its time in milliseconds, or with what stands in its way in the place of that. The level
// tells networks of one name apart: of the zoo it is the size.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "measure/figures.h"
#include "measure/interval.h"
#include "report/format.h"
#include "report/run_reader.h"
#include "report/table.h"

namespace assay {
namespace {

// Of one call, in milliseconds; fields are empty where nothing is known.
struct Latency {
  std::string warmup, iters, mean, median, min, max;
};

std::string milliseconds_of(double ns) { return fmt::format("{:.6g}", ns / 1e6); }

Latency latency_of(const Attempt& attempt, RunReader* reader) {
  Latency latency;
  if (!attempt.profile && !attempt.timing) return latency;
  const Metric metric = attempt.profile ? attempt.profile->metric : attempt.timing->metric;
  latency.median = milliseconds_of(
      attempt.profile ? attempt.profile->median_ns
                      : by(metric, attempt.timing->cpu, attempt.timing->wall).median_ns);
  const auto windows = reader ? reader->windows(attempt.id) : Result<std::vector<WindowRecord>>();
  if (!windows) return latency;
  const CallTimes times = call_times(*windows, 0, metric);
  if (times.ns.empty()) return latency;
  int warm_ups = 0;
  for (const WindowRecord& each : *windows)
    if (each.side == 0 && each.use == WindowUse::warm_up) warm_ups += each.calls;
  // As its neighbours: the one that a timed attempt holds has what a window costs in it.
  latency.median = milliseconds_of(median(times.ns));
  const auto count = static_cast<double>(times.ns.size());
  latency.warmup = std::to_string(warm_ups);
  latency.iters = std::to_string(times.ns.size() * static_cast<size_t>(times.calls));
  latency.mean = milliseconds_of(std::accumulate(times.ns.begin(), times.ns.end(), 0.0) / count);
  latency.min = milliseconds_of(std::ranges::min(times.ns));
  latency.max = milliseconds_of(std::ranges::max(times.ns));
  return latency;
}

// What stands in the way of a time; "" where nothing does.
std::string obstacle(const Attempt& attempt) {
  if (attempt.verdict == Verdict::unsupported) return "unsupported";
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) return "";
  return "error: " + verdict_in_words(attempt) +
         (deciding->error.empty() ? ""
                                  : ": " + deciding->error.substr(0, deciding->error.find('\n')));
}

}  // namespace

void render_latency(const ReportInput& input, ReportSink& sink) {
  std::string head;
  for (const auto& [name, value] : input.tags) head += csv_field(name) + ",";
  sink.write(head + "timestamp,model,device,ms,warmup,iters,mean,median,min,max,author,level\r\n");
  for (const Attempt& attempt : input.attempts) {
    for (const auto& [name, value] : input.tags) sink.write(csv_field(value) + ",");
    const Latency latency = latency_of(attempt, input.reader);
    const std::string why = obstacle(attempt);
    sink.write(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", attempt.finished,
                           csv_field(attempt.workload), csv_field(attempt.target),
                           csv_field(why.empty() ? latency.median : why), latency.warmup,
                           latency.iters, latency.mean, latency.median, latency.min, latency.max,
                           csv_field(attempt.author), csv_field(attempt.level)));
  }
}

}  // namespace assay
