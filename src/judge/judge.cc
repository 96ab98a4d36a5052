#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {
namespace {

struct Said {
  Outcome outcome = Outcome::undecided;
  std::string reason;  // of one that is undecided
  std::string why;     // in one line, for the record
};

// Two launches are no interval: all their pairs have to lie on one side.
Said of_quick(const Duel& duel, const SpeedRatios& ratios) {
  const auto [least, most] = std::ranges::minmax(ratios.pairs);
  const Interval all = with_window_costs({least, duel.interval.estimate, most}, ratios);
  const auto outcome = decided(all);
  if (outcome == Outcome::faster || outcome == Outcome::slower) return {*outcome, "", ""};
  return {Outcome::undecided, std::string(kQuick),
          fmt::format("pairs of windows lie between {:.3g} and {:.3g} times", std::exp(least),
                      std::exp(most))};
}

Said of_launches(const Measured& measured, const Duel& duel, const SpeedRatios& ratios,
                 const Interval& interval) {
  if (measured.launches < kLooks[0].launches)
    return {Outcome::undecided, std::string(kOutOfTime),
            fmt::format("{} launches were made in the time that it had, and {} are the least",
                        measured.launches, kLooks[0].launches)};
  if (auto outcome = decided(interval)) return {*outcome, "", ""};
  if (decided(duel.interval))
    return {Outcome::undecided, std::string(kResolutionLimited),
            fmt::format("a window by itself costs {:.1f} % of the candidate's and {:.1f} % of the "
                        "baseline's",
                        100 * ratios.null_candidate, 100 * ratios.null_baseline)};
  const std::string_view reason = measured.out_of_time ? kOutOfTime : kNoisy;
  return {Outcome::undecided, std::string(reason),
          fmt::format("after {} launches it is {:.3g} to {:.3g} times as fast", measured.launches,
                      std::exp(interval.low), std::exp(interval.high))};
}

}  // namespace

Judged judge(const Measured& measured, CacheMode cache, int threads) {
  Judged judged;
  judged.stage.stage = Stage::judge;
  judged.stage.evidence = {{"against", Json::array()}};
  Timing& timing = judged.timing;
  timing.metric = measured.metric;
  timing.cache = cache;
  timing.threads = threads;
  timing.provisional = measured.quick;
  timing.cpu = times_of(measured.windows, 0, Metric::cpu);
  timing.wall = times_of(measured.windows, 0, Metric::wall);
  timing.setup_ns = measured.setup_ns;
  timing.first_call_ns = measured.first_call_ns;
  for (size_t n = 0; n < measured.duels.size(); ++n) {
    const Duel& duel = measured.duels[n];
    if (!duel.unusable.empty()) continue;
    const SpeedRatios& ratios =
        measured.metric == Metric::cpu ? duel.figures.cpu : duel.figures.wall;
    const Interval interval = with_window_costs(duel.interval, ratios);
    Said said =
        measured.quick ? of_quick(duel, ratios) : of_launches(measured, duel, ratios, interval);
    for (const SpeedRule* rule : speed_rules()) {
      if (said.outcome == Outcome::undecided) break;
      if (auto complaint = rule->complaint({measured, duel, said.outcome}))
        said = {Outcome::undecided, std::string(rule->name), std::move(*complaint)};
    }
    const int side = static_cast<int>(n) + 1;
    judged.stage.evidence["against"].push_back(
        {{"baseline", duel.baseline},
         {"outcome", to_word(kOutcomeWords, said.outcome)},
         {"why", said.why.empty() ? Json(nullptr) : Json(said.why)}});
    timing.speedups.push_back({duel.baseline, std::exp(interval.estimate), std::exp(interval.low),
                               std::exp(interval.high), said.outcome, std::move(said.reason),
                               times_of(measured.windows, side, Metric::cpu),
                               times_of(measured.windows, side, Metric::wall)});
  }
  return judged;
}

}  // namespace assay
