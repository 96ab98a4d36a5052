#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "search/feedback_parts.h"

namespace assay {
namespace {

// Operations for each byte that is touched: below and above, it is plain what limits. Between them
// it depends on the machine.
constexpr double kFewOperations = 4, kManyOperations = 40;
constexpr double kNearBound = 0.95, kGoodPart = 0.5;
// The first call of a process is worth a word where it takes so many times as long.
constexpr double kLongFirstCall = 3;
constexpr double kOfWindows = 0.05;

struct Undecided {
  std::string_view reason, words;
};
constexpr Undecided kUndecided[] = {
    {"noisy", "the machine was too busy to tell"},
    {"budget", "time was up before it could be told"},
    {"resolution-limited", "a call is too short beside what it costs to make one"},
    {"clocks",
     "work goes on outside of the call, in other threads or processes: it has to be done "
     "when the call returns"},
    {"interference", "the baseline is slowed by what it leaves behind (caches, threads)"},
    {"batched",
     "what it gains in several calls in a row it does not gain in one alone: nothing may "
     "be computed ahead or kept from call to call"},
    {"again", "it was faster, and measured again it was not"},
    {"one-of-many", "it is faster by itself, and as one of all submissions that may be luck"},
    {"quick", "it was only looked at for a moment"},
    {"impossible", "it is faster than this machine can move the data: something is not computed"},
};

std::string time(double ns) { return format_duration(std::llround(ns)); }

std::string of_times(const Timing& timing, const Speedup& speedup) {
  return fmt::format("One call takes {}, and {} takes {} ({}, {} thread{}).",
                     time(by(timing.metric, timing.cpu, timing.wall).median_ns), speedup.baseline,
                     time(by(timing.metric, speedup.cpu, speedup.wall).median_ns),
                     timing.metric == Metric::cpu ? "CPU time" : "time on the wall", timing.threads,
                     timing.threads == 1 ? "" : "s");
}

std::string of_work(const Timing& timing, double call_ns) {
  if (timing.bytes == 0) return "";
  std::string text =
      fmt::format("Inputs, parameters and results are {}: {:.3g} GB/s", format_bytes(timing.bytes),
                  static_cast<double>(timing.bytes) / call_ns);
  if (!timing.flops || *timing.flops <= 0)
    return text + (timing.flops
                       ? ". It has no products: memory is the limit, or exp, divisions and their "
                         "like. What helps is one pass over memory, in full vectors."
                       : ".");
  const double flops = static_cast<double>(*timing.flops);
  const double intensity = flops / static_cast<double>(timing.bytes);
  return text +
         fmt::format(
             "; {:.3g} operations, {:.2g} for each byte: {:.3g} GFLOP/s. {}", flops, intensity,
             flops / call_ns,
             intensity < kFewOperations
                 ? "Memory is the limit: what helps is to touch it less often."
             : intensity > kManyOperations
                 ? "Computing is the limit, not memory: what helps are full vectors, several "
                   "sums at a time, and operands that stay in registers."
                 : "Memory and computing both matter.");
}

std::string of_bound(const Timing& timing, double call_ns) {
  if (!timing.bound_ns || *timing.bound_ns <= 0) return "";
  const double part = *timing.bound_ns / call_ns;
  std::string text = fmt::format("This machine needs at least {}: it is at {:.2g} % of that speed.",
                                 time(*timing.bound_ns), 100 * part);
  if (part > kNearBound) return text + " There is nothing left to gain.";
  if (part > kGoodPart) return text + " What is left is in the last passes, tails and edges.";
  return text +
         " Most of the time goes into something that is not needed: look for passes over "
         "memory, for what does not vectorise, for calls in inner loops.";
}

// What is done once, and does not count.
std::string of_first_call(const Timing& timing, double call_ns) {
  const auto first = static_cast<double>(timing.process.first_call_ns);
  if (first < kLongFirstCall * call_ns) return "";
  return fmt::format(
      "The first call of a process takes {}, {:.3g} times as long: what is made "
      "there once does not count.",
      time(first), first / call_ns);
}

std::string of_windows(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::measure) continue;
    const Json evidence = evidence_of(stage);
    const Json::json_pointer at("/against/0/cpu/null_candidate");
    if (!evidence.is_object() || !evidence.contains(at) || !evidence[at].is_number()) return "";
    const double part = evidence[at].get<double>();
    if (part < kOfWindows) return "";
    return fmt::format("About {:.0f} % of what was measured is the cost of calling it at all.",
                       100 * part);
  }
  return "";
}

}  // namespace

bool looks_too_slow(const Speedup& speedup, const FeedbackTerms& terms) {
  return speedup.outcome == Outcome::undecided && speedup.high > 0 &&
         speedup.high < std::max(terms.goal, 1.0);
}

std::string words_of_speed(const Attempt& attempt, const FeedbackTerms& terms) {
  const Timing& timing = *attempt.timing;
  const Speedup& first = timing.speedups.front();
  const double call_ns = by(timing.metric, timing.cpu, timing.wall).median_ns;
  std::string text = fmt::format("Right, and {:.3g} times as fast as {} ({:.3g} to {:.3g})",
                                 first.ratio, first.baseline, first.low, first.high);
  if (first.outcome == Outcome::undecided) {
    std::string why = first.reason;
    for (const Undecided& each : kUndecided)
      if (each.reason == first.reason) why += fmt::format(": {}", each.words);
    text +=
        looks_too_slow(first, terms)
            ? fmt::format(": too slow by what was seen, though not enough for a verdict ({}).", why)
            : fmt::format(", which decides nothing ({}).", why);
  } else {
    text += fmt::format(": {}.", to_word(kOutcomeWords, first.outcome));
  }
  text += terms.goal <= 1
              ? " The goal is to be as fast, or faster."
              : fmt::format(" The goal is {:g} times, for the whole interval.", terms.goal);
  std::vector<std::string> lines{of_times(timing, first), of_bound(timing, call_ns),
                                 of_work(timing, call_ns), of_first_call(timing, call_ns),
                                 of_windows(attempt)};
  lines.insert(lines.end(), terms.counted.begin(), terms.counted.end());
  return text + "\n" + as_list(lines);
}

}  // namespace assay
