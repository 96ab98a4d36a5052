#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// Work that is done elsewhere, by a device, by the kernel for another process, costs this one no
// CPU time. On the wall it shows.
std::optional<std::string> complaint(const Comparison& comparison) {
  const Measured& measured = comparison.measured;
  if (measured.metric != Metric::cpu) return std::nullopt;  // several threads: they differ anyhow
  if (measured.quick) return std::nullopt;  // what two launches have on the wall is no interval
  const DuelFigures& figures = comparison.duel.figures;
  const int rank = rank_after(measured.launches);
  const Interval cpu = with_window_costs(interval_of(figures.cpu.launches, rank), figures.cpu);
  const Interval wall = with_window_costs(interval_of(figures.wall.launches, rank), figures.wall);
  // By less than what is no difference, nobody gains.
  const bool disjoint = wall.high + kDeadBand < cpu.low || cpu.high + kDeadBand < wall.low;
  if (!disjoint) return std::nullopt;
  return fmt::format(
      "by CPU time it is {:.3g} to {:.3g} times as fast, by the clock on the wall "
      "{:.3g} to {:.3g} times",
      std::exp(cpu.low), std::exp(cpu.high), std::exp(wall.low), std::exp(wall.high));
}

}  // namespace

const SpeedRule kClocks{"clocks", "CPU time and the clock on the wall say different things",
                        complaint};

}  // namespace assay
