#include "report/speed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/units.h"
#include "judge/judge.h"

namespace assay {
namespace {

std::string outcome_in_words(const Speedup& speedup) {
  std::string words(to_word(kOutcomeWords, speedup.outcome));
  if (!speedup.reason.empty()) words += " (" + speedup.reason + ")";
  return words;
}

// "6.33 to 7.25"; of so few launches that they are no interval, what they are is said.
std::string range_in_words(const Timing& timing, const Speedup& speedup) {
  return fmt::format("{}{} to {}", has_interval(timing, speedup) ? "" : "few launches: ",
                     ratio_in_words(speedup.low), ratio_in_words(speedup.high));
}

std::string in_words(const Timing& timing, const Speedup& speedup) {
  return fmt::format("{}, {}x {} ({})", outcome_in_words(speedup), ratio_in_words(speedup.ratio),
                     printable(speedup.baseline, false), range_in_words(timing, speedup));
}

std::string duration(double ns) { return format_duration(std::llround(ns)); }

std::string in_words(const Times& times) {
  return fmt::format("{} a call, 5 % under {}, 5 % over {}", duration(times.median_ns),
                     duration(times.p5_ns), duration(times.p95_ns));
}

// Lines of their own, below those of the times.
std::string in_words(const ProcessCosts& process) {
  std::string words =
      fmt::format("            ready after {}; the first call in a process {}\n",
                  format_duration(process.setup_ns), format_duration(process.first_call_ns));
  if (process.peak_bytes)
    words +=
        fmt::format("            peak memory of a process {}\n", format_bytes(*process.peak_bytes));
  return words;
}

// Where the medians, of all windows, seem to say something else than the ratio, of pairs.
std::string medians_in_words(const Timing& timing, const Speedup& speedup) {
  constexpr double kNear = 1.1;
  const double its = by(timing.metric, timing.cpu, timing.wall).median_ns;
  const double baselines = by(timing.metric, speedup.cpu, speedup.wall).median_ns;
  if (its <= 0 || baselines <= 0 || speedup.ratio <= 0) return "";
  const double medians = baselines / its;
  const double apart = std::max(medians / speedup.ratio, speedup.ratio / medians);
  const bool other_side = (medians > 1) != (speedup.ratio > 1) && apart > 1.01;
  if (apart < kNear && !other_side) return "";
  return fmt::format(
      "            that is of pairs of calls beside each other; the medians above, of calls at\n"
      "            different moments, would give {}, and decide nothing\n",
      ratio_in_words(medians));
}

// Of the definition's work, whatever the candidate does of it. None where its clock did not move.
struct Rates {
  std::optional<double> gb_per_s;
  std::optional<double> gflop_per_s;       // absent too where there is nothing to count
  std::optional<double> roofline_percent;  // absent too on a machine that is not calibrated
};

Rates rates_of(const Timing& timing) {
  Rates rates;
  const double call_ns = by(timing.metric, timing.cpu, timing.wall).median_ns;
  if (call_ns <= 0) return rates;
  rates.gb_per_s = static_cast<double>(timing.bytes) / call_ns;
  if (timing.flops.value_or(0) > 0)
    rates.gflop_per_s = static_cast<double>(*timing.flops) / call_ns;
  if (timing.bound_ns) rates.roofline_percent = 100 * *timing.bound_ns / call_ns;
  return rates;
}

std::string rates_in_words(const Timing& timing) {
  const Rates rates = rates_of(timing);
  if (!rates.gb_per_s) return "no rates: its clock did not move";
  std::string words = fmt::format("{:.3g} GB/s", *rates.gb_per_s);
  if (rates.gflop_per_s) words += fmt::format(", {:.3g} GFLOP/s", *rates.gflop_per_s);
  if (rates.roofline_percent)
    words += fmt::format("; {:.1f} % of the roofline, {}", *rates.roofline_percent,
                         duration(*timing.bound_ns));
  words += no_roofline_in_words(timing.type_without_peak);
  return words;
}

}  // namespace

std::string no_roofline_in_words(const std::string& type_without_peak) {
  if (type_without_peak.empty()) return "";
  return fmt::format("; no roofline for {}: of this type the machine has no peak",
                     type_without_peak);
}

bool is_not_timed(const Attempt& attempt) {
  return !attempt.timing && outcome(attempt) == Outcome::undecided;
}

bool any_is_timed(std::span<const Attempt> attempts) {
  return std::ranges::any_of(attempts,
                             [](const Attempt& each) { return each.timing || is_not_timed(each); });
}

bool do_times_hold(const Speedup& speedup) {
  return speedup.outcome != Outcome::undecided || speedup.reason == kNoisy.name ||
         speedup.reason == kOutOfTime || speedup.reason == kResolutionLimited ||
         speedup.reason == kQuick;
}

bool has_interval(const Timing& timing, const Speedup& speedup) {
  return !timing.provisional && speedup.reason != kOutOfTime;
}

const Speedup* against(const Timing& timing, const std::string& baseline) {
  auto found = std::ranges::find(timing.speedups, baseline, &Speedup::baseline);
  return found == timing.speedups.end() ? nullptr : &*found;
}

std::string ratio_in_words(double ratio) {
  return ratio >= 100 ? fmt::format("{:.0f}", ratio) : fmt::format("{:#.3g}", ratio);
}

std::string speed_in_words(const Attempt& attempt) {
  if (is_not_timed(attempt)) return "not timed: " + printable(reason(attempt), false);
  std::string words;
  if (!attempt.timing) return words;
  for (const Speedup& speedup : attempt.timing->speedups)
    words += (words.empty() ? "" : "; ") + in_words(*attempt.timing, speedup);
  return words + (attempt.timing->provisional ? ", provisional" : "");
}

std::string speed_cell(const Attempt& attempt) {
  if (is_not_timed(attempt)) return "not timed";
  if (!attempt.timing) return "-";
  const Speedup& first = attempt.timing->speedups.front();
  return fmt::format("{} {}x", to_word(kOutcomeWords, first.outcome), ratio_in_words(first.ratio));
}

std::vector<std::pair<std::string_view, std::string>> timing_fields(const Attempt& attempt) {
  const std::optional<Outcome> said = outcome(attempt);
  const Timing none;
  const Timing& timing = attempt.timing ? *attempt.timing : none;
  const Speedup first = attempt.timing ? timing.speedups.front() : Speedup();
  const Rates rates = rates_of(timing);
  auto number = [&](std::optional<double> value) {
    return attempt.timing && value ? fmt::format("{}", *value) : "";
  };
  auto text = [&](std::string_view word) { return std::string(attempt.timing ? word : ""); };
  return {{"outcome", said ? std::string(to_word(kOutcomeWords, *said)) : ""},
          {"reason", reason(attempt)},
          {"provisional", text(timing.provisional ? "true" : "false")},
          {"metric", text(to_word(kMetricWords, timing.metric))},
          {"cpu_median_ns", number(timing.cpu.median_ns)},
          {"wall_median_ns", number(timing.wall.median_ns)},
          {"gb_per_s", number(rates.gb_per_s)},
          {"gflop_per_s", number(rates.gflop_per_s)},
          {"roofline_percent", number(rates.roofline_percent)},
          {"baseline", first.baseline},
          {"ratio", number(first.ratio)},
          {"low", number(first.low)},
          {"high", number(first.high)},
          {"baseline_cpu_median_ns", number(first.cpu.median_ns)},
          {"baseline_wall_median_ns", number(first.wall.median_ns)},
          {"sol_score", number(first.sol_score)}};
}

std::string timing_in_words(const Attempt& attempt) {
  if (!attempt.timing) return "";
  const Timing& timing = *attempt.timing;
  auto of = [&](const Times& cpu, const Times& wall) {
    return in_words(by(timing.metric, cpu, wall));
  };
  std::string text =
      fmt::format("speed, by {}, caches {}, {}\n", in_words(timing.metric),
                  to_word(kCacheModeWords, timing.cache),
                  timing.threads == 1 ? "one thread" : fmt::format("{} threads", timing.threads));
  text += fmt::format("  it        {}\n", of(timing.cpu, timing.wall));
  text += in_words(timing.process);
  text += fmt::format("            {}\n", rates_in_words(timing));
  if (!timing.labels.empty())
    text += fmt::format("            labels: {}\n", fmt::join(timing.labels, ", "));
  for (const Speedup& each : timing.speedups) {
    text += fmt::format("  {:<9} {}\n", printable(each.baseline, false), of(each.cpu, each.wall));
    text += fmt::format("            {} times as fast, {}: {}{}\n", ratio_in_words(each.ratio),
                        range_in_words(timing, each), outcome_in_words(each),
                        timing.provisional ? ", provisional" : "");
    text += medians_in_words(timing, each);
    text += in_words(each.process);
    if (each.sol_score) text += fmt::format("            SOL score {:.3f}\n", *each.sol_score);
  }
  return text;
}

}  // namespace assay
