#include "measure/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace assay {
namespace {

// Where a window is nothing but its own cost, a ratio has no other bound.
constexpr double kMostLog = 13.8;  // ln 1e6

double time_of(const WindowRecord& window, Metric metric) {
  const int64_t all_ns = by(metric, window.cpu_ns, window.wall_ns);
  return static_cast<double>(all_ns) / window.calls;
}

// Two clocks of the kernel's that say different things of a window: one of them was late, or some
// of the work was done by processes that have come and gone.
bool clocks_disagree(const WindowRecord& window) {
  constexpr double kNs = 20'000, kPart = 0.02;
  if (!window.process_cpu_ns) return false;
  const auto all_ns = static_cast<double>(window.cpu_ns);
  return std::fabs(all_ns - static_cast<double>(*window.process_cpu_ns)) > kNs + kPart * all_ns;
}

using ByLaunch = std::map<int, std::vector<double>>;

std::map<int, double> medians(const ByLaunch& launches) {
  std::map<int, double> result;
  for (const auto& [launch, all] : launches) result[launch] = median(all);
  return result;
}

// By launch, medians of one side's windows of one use.
std::map<int, double> medians(std::span<const WindowRecord> windows, int side, WindowUse use,
                              Metric metric) {
  ByLaunch times;
  for (const WindowRecord& window : windows)
    if (window.side == side && window.use == use)
      times[window.launch].push_back(time_of(window, metric));
  return medians(times);
}

// Of a launch, one call's time without what windows cost: at least what a clock can tell.
double without_null(double window_ns, double null_ns, double calls) {
  return std::max((window_ns * calls - null_ns) / calls, 1.0);
}

std::optional<Singles> singles_of(std::span<const WindowRecord> windows, int side, Metric metric) {
  struct Times {
    std::map<int, double> single, several, null;
  };
  auto times = [&](int who) {
    return Times{medians(windows, who, WindowUse::single, metric),
                 medians(windows, who, WindowUse::pair, metric),
                 medians(windows, who, WindowUse::null, metric)};
  };
  Times candidate = times(0);
  const Times baseline = times(side);
  // Who works in windows in which nothing is called has that taken off others. Nothing is gained by
  // more than what the baseline's cost.
  for (auto& [launch, ns] : candidate.null) {
    const auto other = baseline.null.find(launch);
    ns = other == baseline.null.end() ? 0 : std::min(ns, other->second);
  }
  std::map<int, double> calls;
  for (const WindowRecord& window : windows)
    if (window.use == WindowUse::pair) calls[window.launch] = window.calls;
  Singles singles;
  std::vector<double> gains, single_gains;
  for (const auto& [launch, count] : calls) {
    auto is_whole = [&](const Times& of) {
      return of.single.contains(launch) && of.several.contains(launch);
    };
    if (!is_whole(candidate) || !is_whole(baseline)) continue;
    auto call = [&](const Times& of, bool alone) {
      const auto null = of.null.find(launch);
      return without_null((alone ? of.single : of.several).at(launch),
                          null == of.null.end() ? 0 : null->second, alone ? 1 : count);
    };
    const double c = call(candidate, false), c_alone = call(candidate, true);
    const double b = call(baseline, false), b_alone = call(baseline, true);
    singles.gained.push_back(std::log(b / c) - std::log(b_alone / c_alone));
    gains.push_back(b - c);
    single_gains.push_back(b_alone - c_alone);
  }
  if (singles.gained.empty()) return std::nullopt;
  singles.gain_ns = median(gains);
  singles.single_gain_ns = median(single_gains);
  return singles;
}

// One side's windows alone: those that came right behind another of its own.
struct Alone {
  std::map<int, double> launches;  // medians
  int all = 0, invalid = 0;        // windows
};

Alone alone(std::span<const WindowRecord> windows, int side, Metric metric) {
  Alone found;
  ByLaunch times;
  const WindowRecord* before = nullptr;
  for (const WindowRecord& window : windows) {
    const bool is_alone = window.use == WindowUse::solo && window.side == side &&
                          before != nullptr && before->use == WindowUse::solo &&
                          before->side == side && before->launch == window.launch;
    before = &window;
    if (!is_alone) continue;
    ++found.all;
    if (metric == Metric::cpu && clocks_disagree(window))
      ++found.invalid;
    else
      times[window.launch].push_back(time_of(window, metric));
  }
  found.launches = medians(times);
  return found;
}

// As window_cost(), where a ratio has no other bound.
double cost(double part) { return std::min(window_cost(part), kMostLog); }

// Median CPU time around windows of one use: all of it, and without what the side's runner does
// around windows of as many calls that do nothing.
struct Around {
  double all_ns = 0, own_ns = 0;
};

Around around(std::span<const WindowRecord> windows, int side, WindowUse use) {
  std::vector<double> all, empty;
  int calls = 0;
  for (const WindowRecord& window : windows) {
    if (window.use != use || window.side != side) continue;
    all.push_back(static_cast<double>(window.around_cpu_ns));
    calls = window.calls;
  }
  for (const WindowRecord& window : windows)
    if (window.use == WindowUse::empty && window.side == side && window.calls == calls)
      empty.push_back(static_cast<double>(window.around_cpu_ns));
  Around found;
  found.all_ns = all.empty() ? 0 : median(all);
  found.own_ns = std::max(found.all_ns - (empty.empty() ? 0 : median(empty)), 0.0);
  return found;
}

// Medians of a side's windows: what is no call in those that count, and all of one, whatever is in
// it.
struct OwnTimes {
  double null_ns = 0, beside_ns = 0, all_ns = 0;

  double own_ns() const { return std::max(null_ns, beside_ns); }
  double part(double ns) const { return ns <= 0 ? 0 : all_ns > 0 ? ns / all_ns : 1; }
};

OwnTimes own_times(std::span<const WindowRecord> windows, int side, Metric metric) {
  std::map<WindowUse, std::vector<double>> times;
  for (const WindowRecord& window : windows)
    if (window.side == side) times[window.use].push_back(time_of(window, metric) * window.calls);
  auto median_of = [&](WindowUse use) { return times[use].empty() ? 0 : median(times[use]); };
  return {median_of(WindowUse::null), median_of(WindowUse::beside), median_of(WindowUse::pair)};
}

// ln(ratio) of all pairs that are valid, and how many are not.
struct PairRatios {
  ByLaunch launches;
  int invalid = 0;
};

PairRatios pair_ratios(std::span<const WindowRecord> windows, int side, Metric metric) {
  // The candidate's and the baseline's window of each round.
  struct Round {
    double candidate_ns = 0, baseline_ns = 0;
    bool is_valid = true;
  };
  std::map<std::pair<int, int>, Round> rounds;
  for (const WindowRecord& window : windows) {
    if (window.use != WindowUse::pair || (window.side != 0 && window.side != side)) continue;
    Round& round = rounds[{window.launch, window.round}];
    (window.side == 0 ? round.candidate_ns : round.baseline_ns) = time_of(window, metric);
    if (metric == Metric::cpu && clocks_disagree(window)) round.is_valid = false;
  }
  PairRatios found;
  for (const auto& [number, round] : rounds) {
    if (!round.is_valid || round.candidate_ns <= 0 || round.baseline_ns <= 0)
      ++found.invalid;
    else
      found.launches[number.first].push_back(std::log(round.baseline_ns / round.candidate_ns));
  }
  return found;
}

SpeedRatios ratios(std::span<const WindowRecord> windows, int side, Metric metric) {
  const PairRatios all = pair_ratios(windows, side, metric);
  SpeedRatios found;
  found.invalid = all.invalid;
  for (const auto& [launch, pairs] : all.launches) {
    found.pairs.insert(found.pairs.end(), pairs.begin(), pairs.end());
    found.launches.push_back(median(pairs));
  }
  const OwnTimes candidate = own_times(windows, 0, metric);
  const OwnTimes baseline = own_times(windows, side, metric);
  found.null_candidate = candidate.part(candidate.own_ns());
  found.null_baseline = baseline.part(baseline.own_ns());
  // Otherwise both do the same, and differ by chance.
  if (candidate.beside_ns < baseline.beside_ns / 2)
    found.beside_baseline = baseline.part(baseline.beside_ns - candidate.own_ns());
  return found;
}

std::vector<double> interference(std::span<const WindowRecord> windows, int side, Metric metric,
                                 const std::map<int, double>& candidate,
                                 const std::map<int, double>& baseline) {
  std::vector<double> gained;
  if (candidate.empty() || baseline.empty()) return gained;
  for (const auto& [launch, ratio] : medians(pair_ratios(windows, side, metric).launches)) {
    const auto c = candidate.find(launch), b = baseline.find(launch);
    if (c == candidate.end() || b == baseline.end() || c->second <= 0 || b->second <= 0) continue;
    gained.push_back(ratio - std::log(b->second / c->second));
  }
  return gained;
}

}  // namespace

DuelFigures duel_figures(std::span<const WindowRecord> windows, int side, Metric metric) {
  DuelFigures figures;
  figures.cpu = ratios(windows, side, Metric::cpu);
  figures.wall = ratios(windows, side, Metric::wall);
  const Alone candidate = alone(windows, 0, metric), baseline = alone(windows, side, metric);
  figures.interference = interference(windows, side, metric, candidate.launches, baseline.launches);
  figures.alone = candidate.all + baseline.all;
  figures.alone_invalid = candidate.invalid + baseline.invalid;
  figures.singles = singles_of(windows, side, metric);
  figures.is_around_alike = around(windows, 0, WindowUse::pair).all_ns > 0 &&
                            around(windows, side, WindowUse::pair).all_ns > 0;
  auto more = [&](WindowUse use) {
    return around(windows, 0, use).own_ns - around(windows, side, use).own_ns;
  };
  const double single_ns = more(WindowUse::single);
  figures.around_ns = std::max({more(WindowUse::pair), more(WindowUse::solo), single_ns});
  // It may be by that alone that it is quick where it is called alone, or the baseline slow.
  if (figures.singles && figures.is_around_alike)
    figures.singles->single_gain_ns -= std::max(single_ns, 0.0);
  return figures;
}

double window_cost(double part) { return part < 1 ? -std::log1p(-part) : HUGE_VAL; }

Interval with_window_costs(const Interval& interval, const SpeedRatios& ratios) {
  return {std::clamp(interval.low - cost(ratios.null_baseline), -kMostLog, kMostLog),
          std::clamp(interval.estimate - cost(ratios.beside_baseline), -kMostLog, kMostLog),
          std::clamp(interval.high + cost(ratios.null_candidate), -kMostLog, kMostLog)};
}

bool is_beyond_resolution(const Interval& interval, const SpeedRatios& ratios) {
  auto is_told = [&](double at) {
    return decided(with_window_costs({at, at, at}, ratios)).has_value();
  };
  // The most different ones; and the one that is the most alike, where costs of both sides cancel.
  const double alike = (cost(ratios.null_baseline) - cost(ratios.null_candidate)) / 2;
  return !is_told(interval.low) && !is_told(interval.high) &&
         !is_told(std::clamp(alike, interval.low, interval.high));
}

Gain gain_of(std::span<const double> interference) {
  if (interference.empty()) return {};
  const Interval gained =
      interval_of(interference, rank_after(static_cast<int>(interference.size())));
  return {std::max(gained.estimate, 0.0), gained.low > kDeadBand};
}

Interval without_gain(const Interval& interval, const Gain& gain) {
  Interval without = interval;
  if (gain.is_shown) without.estimate -= gain.estimate;
  if (gain.is_shown || decided(interval) == Outcome::faster) without.low -= gain.estimate;
  return without;
}

Interval charged(const Interval& interval, const DuelFigures& figures, Metric metric) {
  return without_gain(with_window_costs(interval, figures.by(metric)),
                      gain_of(figures.interference));
}

Times times_of(std::span<const WindowRecord> windows, int side, Metric metric) {
  std::vector<double> all;
  for (const WindowRecord& window : windows)
    if (window.side == side && window.use == WindowUse::pair)
      all.push_back(time_of(window, metric));
  if (all.empty()) return {};
  return {median(all), quantile(all, 0.05), quantile(all, 0.95)};
}

CallTimes call_times(std::span<const WindowRecord> windows, int side, Metric metric) {
  CallTimes times;
  times.window_ns = own_times(windows, side, metric).own_ns();
  for (const WindowRecord& window : windows) {
    if (window.side != side || window.use != WindowUse::pair) continue;
    if (metric == Metric::cpu && clocks_disagree(window)) continue;
    times.calls = window.calls;
    times.ns.push_back(without_null(time_of(window, metric), times.window_ns, window.calls));
  }
  return times;
}

double first_call_ns(std::span<const WindowRecord> windows, int side) {
  std::map<int, const WindowRecord*> firsts;  // by launch
  for (const WindowRecord& window : windows)
    if (window.side == side && window.use != WindowUse::null && window.use != WindowUse::beside &&
        window.use != WindowUse::empty)
      firsts.try_emplace(window.launch, &window);
  std::vector<double> all;
  for (const auto& [launch, window] : firsts)
    all.push_back(static_cast<double>(window->cpu_ns) / window->calls);
  return all.empty() ? 0 : median(all);
}

}  // namespace assay
