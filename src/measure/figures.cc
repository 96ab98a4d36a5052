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
  const int64_t all_ns = metric == Metric::cpu ? window.cpu_ns : window.wall_ns;
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

// By launch, medians of one side's windows of one use.
std::map<int, double> medians(std::span<const WindowRecord> windows, int side, WindowUse use,
                              Metric metric) {
  std::map<int, std::vector<double>> times;
  for (const WindowRecord& window : windows)
    if (window.side == side && window.use == use)
      times[window.launch].push_back(time_of(window, metric));
  std::map<int, double> result;
  for (const auto& [launch, all] : times) result[launch] = median(all);
  return result;
}

// A null window's cost as a part of windows that count, which have several calls in one.
double null_part(std::span<const WindowRecord> windows, int side, Metric metric) {
  std::vector<double> nulls, counting;
  for (const WindowRecord& window : windows) {
    if (window.side != side) continue;
    const double all_ns = time_of(window, metric) * window.calls;
    if (window.use == WindowUse::null) nulls.push_back(all_ns);
    if (window.use == WindowUse::pair) counting.push_back(all_ns);
  }
  if (nulls.empty() || counting.empty()) return 0;
  const double window_ns = median(counting);
  return window_ns > 0 ? median(nulls) / window_ns : 1;
}

SpeedRatios ratios(std::span<const WindowRecord> windows, int side, Metric metric) {
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
  SpeedRatios found;
  std::map<int, std::vector<double>> launches;
  for (const auto& [number, round] : rounds) {
    if (!round.is_valid || round.candidate_ns <= 0 || round.baseline_ns <= 0) {
      ++found.invalid;
      continue;
    }
    const double ratio = std::log(round.baseline_ns / round.candidate_ns);
    found.pairs.push_back(ratio);
    launches[number.first].push_back(ratio);
  }
  for (const auto& [launch, pairs] : launches) found.launches.push_back(median(pairs));
  found.null_candidate = null_part(windows, 0, metric);
  found.null_baseline = null_part(windows, side, metric);
  return found;
}

}  // namespace

DuelFigures duel_figures(std::span<const WindowRecord> windows, int side) {
  DuelFigures figures;
  figures.cpu = ratios(windows, side, Metric::cpu);
  figures.wall = ratios(windows, side, Metric::wall);
  const auto alone = medians(windows, side, WindowUse::solo, Metric::cpu);
  const auto among = medians(windows, side, WindowUse::pair, Metric::cpu);
  for (const auto& [launch, time] : among) {
    auto found = alone.find(launch);
    if (found != alone.end() && found->second > 0 && time > 0)
      figures.interference.push_back(std::log(time / found->second));
  }
  return figures;
}

double window_cost(double part) { return part < 1 ? -std::log1p(-part) : HUGE_VAL; }

Interval with_window_costs(const Interval& interval, const SpeedRatios& ratios) {
  auto cost = [](double part) { return part < 1 ? window_cost(part) : kMostLog; };
  return {std::max(interval.low - cost(ratios.null_baseline), -kMostLog), interval.estimate,
          std::min(interval.high + cost(ratios.null_candidate), kMostLog)};
}

Times times_of(std::span<const WindowRecord> windows, int side, Metric metric) {
  std::vector<double> all;
  for (const WindowRecord& window : windows)
    if (window.side == side && window.use == WindowUse::pair)
      all.push_back(time_of(window, metric));
  if (all.empty()) return {};
  return {median(all), quantile(all, 0.05), quantile(all, 0.95)};
}

}  // namespace assay
