// Windows as a measurement would have them, of given times.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "measure/measure.h"

namespace assay {

struct FakeTimes {
  double candidate_ns = 1e6, baseline_ns = 1e6;
  double wall_factor = 1;  // of the candidate's wall time over its CPU time
  double solo_factor = 1;  // of the baseline's time alone over that among others
  double null_ns = 20e3;
  double spread = 0;  // of the ratio between launches, as ln: evenly from -spread to it
  int launches = 6, pairs = 4;
  int calls = 1;  // in windows that count; with more there are windows of one call, too
  double candidate_single_ns = 1e6, baseline_single_ns = 1e6;  // of these, with what windows cost
};

inline std::vector<WindowRecord> fake_windows(const FakeTimes& times) {
  std::vector<WindowRecord> windows;
  for (int launch = 0; launch < times.launches; ++launch) {
    int round = 0;
    auto add = [&](int side, WindowUse use, double cpu_ns, double wall_ns) {
      const int calls = use == WindowUse::pair || use == WindowUse::solo ? times.calls : 1;
      windows.push_back({launch, round, side, side, use, calls, std::llround(calls * wall_ns),
                         std::llround(calls * cpu_ns), "full/own/0"});
    };
    const double share = times.launches == 1 ? 0 : 2.0 * launch / (times.launches - 1) - 1;
    const double candidate_ns = times.candidate_ns * std::exp(times.spread * share);
    for (int side : {0, 1}) add(side, WindowUse::null, times.null_ns, times.null_ns);
    ++round;
    const double alone_ns = times.baseline_ns * times.solo_factor;
    for (auto [side, ns] : {std::pair{0, candidate_ns}, {1, alone_ns}})
      for (int n = 0; n < 2; ++n) add(side, WindowUse::solo, ns, ns);
    for (int pair = 0; pair < times.pairs; ++pair) {
      ++round;
      add(0, WindowUse::pair, candidate_ns, candidate_ns * times.wall_factor);
      add(1, WindowUse::pair, times.baseline_ns, times.baseline_ns);
    }
    if (times.calls > 1) {
      ++round;
      add(0, WindowUse::single, times.candidate_single_ns, times.candidate_single_ns);
      add(1, WindowUse::single, times.baseline_single_ns, times.baseline_single_ns);
    }
  }
  return windows;
}

inline Measured fake_measured(const FakeTimes& times) {
  Measured measured;
  measured.stage.stage = Stage::measure;
  measured.launches = times.launches;
  measured.windows = fake_windows(times);
  Duel duel;
  duel.baseline = "eager";
  duel.figures = duel_figures(measured.windows, 1, Metric::cpu);
  duel.interval = interval_of(duel.figures.cpu.launches, rank_after(times.launches));
  measured.duels.push_back(std::move(duel));
  for (int side : {0, 1})
    measured.processes.push_back(
        {30'000'000, std::llround(first_call_ns(measured.windows, side)), uint64_t{64} << 20});
  return measured;
}

}  // namespace assay
