#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "judge/roofline.h"
#include "run/outcome.h"

namespace assay {
namespace {

struct Said {
  Outcome outcome = Outcome::undecided;
  std::string reason;  // of one that is undecided
  std::string why;     // in one line, for the record
};

// Two launches are no interval: all their pairs have to lie on one side.
Said of_quick(const Measured& measured, const Duel& duel, const SpeedRatios& ratios) {
  if (measured.out_of_time)
    return {Outcome::undecided, std::string(kOutOfTime),
            "there was no time for the second of two launches"};
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
  if (measured.launches < measured.least_launches)
    return {Outcome::undecided, std::string(kOutOfTime),
            fmt::format("{} launches were made in the time that it had, and {} are the least",
                        measured.launches, measured.least_launches)};
  if (auto outcome = decided(interval)) return {*outcome, "", ""};
  if (decided(duel.interval) || is_beyond_resolution(duel.interval, ratios))
    return {Outcome::undecided, std::string(kResolutionLimited),
            fmt::format("a window by itself costs {:.1f} % of the candidate's and {:.1f} % of the "
                        "baseline's",
                        100 * ratios.null_candidate, 100 * ratios.null_baseline)};
  const std::string_view reason = measured.out_of_time ? kOutOfTime : kNoisy.name;
  return {Outcome::undecided, std::string(reason),
          fmt::format("after {} launches it is {:.3g} to {:.3g} times as fast", measured.launches,
                      std::exp(interval.low), std::exp(interval.high))};
}

Timing timing_of(const Measured& measured, const Calibration* calibration) {
  Timing timing;
  timing.metric = measured.metric();
  timing.cache = measured.settings.cache;
  timing.threads = measured.threads;
  timing.provisional = measured.settings.quick;
  timing.cpu = times_of(measured.windows, 0, Metric::cpu);
  timing.wall = times_of(measured.windows, 0, Metric::wall);
  timing.process = measured.processes.front();
  timing.bytes = measured.work.bytes;
  timing.flops = measured.work.flops;
  if (calibration) {
    timing.bound_ns =
        bound_ns(measured.work, measured.settings.cache, measured.threads, *calibration);
    timing.type_without_peak = type_without_peak(measured.work, *calibration);
  }
  return timing;
}

// What becomes of one comparison once all rules are asked.
struct Asked {
  Said said;
  std::vector<std::string> labels{};  // names of rules
  std::optional<StageRecord> rejected{};
  bool is_suspicious = false;
  bool is_doubted = false;
};

Asked ask_rules(const SpeedComparison& comparison, Said said, const Severities& severities) {
  Asked asked{.said = std::move(said)};
  for (const SpeedRule* rule : speed_rules()) {
    const auto complaint = rule->complaint(comparison);
    if (!complaint) continue;
    asked.is_suspicious |= rule == &kSuspicious;
    switch (effect_of(*rule, severities)) {
      case Effect::label:
        asked.labels.emplace_back(rule->name);
        break;
      case Effect::undecided:
        // Also of one that is undecided: that its figures do not tell says less than what is wrong
        // with them. The first rule that is broken stands.
        if (!std::exchange(asked.is_doubted, true))
          asked.said = {Outcome::undecided, std::string(rule->name), *complaint};
        break;
      case Effect::reject:
        if (!asked.rejected)
          asked.rejected = rejected_stage(Stage::judge, std::string(rule->name), *complaint);
        break;
    }
  }
  return asked;
}

}  // namespace

Judged judge(const Measured& measured, const std::vector<std::string>& labels,
             const JudgeSettings& settings) {
  Judged judged;
  judged.stage.stage = Stage::judge;
  Json against = Json::array();
  // What this machine's CPU can do says nothing of a card.
  const Calibration* calibration =
      settings.calibration && !measured.is_on_card ? &*settings.calibration : nullptr;
  Timing& timing = judged.timing;
  timing = timing_of(measured, calibration);
  for (size_t n = 0; n < measured.duels.size(); ++n) {
    const Duel& duel = measured.duels[n];
    if (!duel.unusable.empty()) continue;
    const Duel& asked_first = measured.duels.front();
    const SpeedRatios& ratios = duel.figures.by(measured.metric());
    const Interval measured_interval = with_window_costs(duel.interval, ratios);
    Said said = measured.settings.quick ? of_quick(measured, duel, ratios)
                                        : of_launches(measured, duel, ratios, measured_interval);
    const SpeedComparison comparison{measured,    duel,         labels,
                                     calibration, said.outcome, measured_interval};
    const Interval interval = charged(duel.interval, duel.figures, measured.metric());
    Asked asked = ask_rules(comparison, std::move(said), settings.severities);
    if (asked.rejected && judged.stage.status == StageStatus::ok)
      judged.stage = std::move(*asked.rejected);
    judged.is_suspicious |= asked.is_suspicious;
    // What an attempt is said to be is by the first baseline: another one does not take its place.
    if (timing.speedups.empty() && !asked_first.unusable.empty())
      asked.said = {Outcome::undecided, std::string(kNoBaseline),
                    fmt::format("it could not be timed against {}, which was asked for first: {}",
                                asked_first.baseline, asked_first.unusable)};
    for (std::string& label : asked.labels)
      if (std::ranges::find(timing.labels, label) == timing.labels.end())
        timing.labels.push_back(std::move(label));
    against.push_back({{"baseline", duel.baseline},
                       {"outcome", to_word(kOutcomeWords, asked.said.outcome)},
                       {"why", asked.said.why.empty() ? Json(nullptr) : Json(asked.said.why)}});
    const int side = static_cast<int>(n) + 1;
    Speedup speedup{duel.baseline,
                    std::exp(interval.estimate),
                    std::exp(interval.low),
                    std::exp(interval.high),
                    asked.said.outcome,
                    std::move(asked.said.reason),
                    times_of(measured.windows, side, Metric::cpu),
                    times_of(measured.windows, side, Metric::wall),
                    std::nullopt,
                    measured.processes[n + 1]};
    const Times& baseline = by(measured.metric(), speedup.cpu, speedup.wall);
    if (speedup.outcome == Outcome::faster && !timing.provisional)
      speedup.chance = chance_of_faster(measured.launches, measured.least_launches);
    if (timing.bound_ns)
      speedup.sol_score = sol_score(comparison.call_ns(), baseline.median_ns, *timing.bound_ns);
    timing.speedups.push_back(std::move(speedup));
  }
  judged.stage.evidence = {{"against", std::move(against)}};
  return judged;
}

std::optional<StageRecord> rejected_for_labels(const std::vector<std::string>& labels,
                                               const Severities& severities) {
  const Measured nothing;
  const Duel none;
  for (const SpeedRule* rule : {&kLibrary, &kFallback}) {
    if (effect_of(*rule, severities) != Effect::reject) continue;
    if (auto complaint = rule->complaint({nothing, none, labels, nullptr}))
      return rejected_stage(Stage::verify, std::string(rule->name), *complaint);
  }
  return std::nullopt;
}

}  // namespace assay
