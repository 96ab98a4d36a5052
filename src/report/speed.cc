#include "report/speed.h"

#include <fmt/format.h>

#include <cmath>

#include "base/escape.h"
#include "base/units.h"

namespace assay {
namespace {

// Three digits that count; more where they are all before the point.
std::string times(double ratio) {
  return ratio >= 100 ? fmt::format("{:.0f}", ratio) : fmt::format("{:#.3g}", ratio);
}

std::string outcome_in_words(const Speedup& speedup) {
  std::string words(to_word(kOutcomeWords, speedup.outcome));
  if (!speedup.reason.empty()) words += " (" + speedup.reason + ")";
  return words;
}

std::string in_words(const Speedup& speedup) {
  return fmt::format("{}, {}x {} ({} to {})", outcome_in_words(speedup), times(speedup.ratio),
                     printable(speedup.baseline, false), times(speedup.low), times(speedup.high));
}

std::string duration(double ns) { return format_duration(std::llround(ns)); }

std::string in_words(const Times& times) {
  return fmt::format("{} a call, 5 % under {}, 5 % over {}", duration(times.median_ns),
                     duration(times.p5_ns), duration(times.p95_ns));
}

}  // namespace

std::string speed_in_words(const Attempt& attempt) {
  std::string words;
  if (!attempt.timing) return words;
  for (const Speedup& speedup : attempt.timing->speedups)
    words += (words.empty() ? "" : "; ") + in_words(speedup);
  return words + (attempt.timing->provisional ? ", provisional" : "");
}

std::string speed_cell(const Attempt& attempt) {
  if (!attempt.timing) return "-";
  const Speedup& first = attempt.timing->speedups.front();
  return fmt::format("{} {}x", to_word(kOutcomeWords, first.outcome), times(first.ratio));
}

std::string timing_in_words(const Attempt& attempt) {
  if (!attempt.timing) return "";
  const Timing& timing = *attempt.timing;
  auto of = [&](const Times& cpu, const Times& wall) {
    return in_words(timing.metric == Metric::cpu ? cpu : wall);
  };
  std::string text =
      fmt::format("speed, by {}, caches {}, {}\n",
                  timing.metric == Metric::cpu ? "CPU time" : "the clock on the wall",
                  to_word(kCacheModeWords, timing.cache),
                  timing.threads == 1 ? "one thread" : fmt::format("{} threads", timing.threads));
  text += fmt::format("  it        {}\n", of(timing.cpu, timing.wall));
  text += fmt::format("            ready after {}; the first call in a process {}\n",
                      format_duration(timing.setup_ns), format_duration(timing.first_call_ns));
  for (const Speedup& each : timing.speedups) {
    text += fmt::format("  {:<9} {}\n", printable(each.baseline, false), of(each.cpu, each.wall));
    text += fmt::format("            {} times as fast, {} to {}: {}{}\n", times(each.ratio),
                        times(each.low), times(each.high), outcome_in_words(each),
                        timing.provisional ? ", provisional" : "");
  }
  return text;
}

}  // namespace assay
