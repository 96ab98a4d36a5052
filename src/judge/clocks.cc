#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// Of pairs, that the judge's own clock may fail for: a control group's is late now and then.
constexpr double kMostInvalid = 0.05;

// Work that is done elsewhere, by a device, by the kernel for another process, costs this one no
// CPU time. On the wall it shows.
std::optional<std::string> complaint(const SpeedComparison& comparison) {
  const Measured& measured = comparison.measured;
  const DuelFigures& figures = comparison.duel.figures;
  const SpeedRatios& ratios = figures.by(measured.metric());
  const int all = static_cast<int>(ratios.pairs.size()) + ratios.invalid;
  if (ratios.invalid > kMostInvalid * all)
    return fmt::format(
        "{} of {} pairs have a window in which the clock did not move, or the clock of its control "
        "group and those of its processes disagree",
        ratios.invalid, all);
  if (measured.metric() != Metric::cpu) return std::nullopt;  // several threads: they differ anyhow
  // What two launches have on the wall is no interval.
  if (measured.settings.quick) return std::nullopt;
  const int rank = rank_after(measured.launches);
  const Interval cpu = with_window_costs(interval_of(figures.cpu.launches, rank), figures.cpu);
  const Interval wall = with_window_costs(interval_of(figures.wall.launches, rank), figures.wall);
  // By less than what is no difference, nobody gains.
  const bool disjoint = wall.high + kDeadBand < cpu.low || cpu.high + kDeadBand < wall.low;
  if (!disjoint) return std::nullopt;
  // Slower by both: a host that wakes late costs each window as much, and short ones more of it.
  if (comparison.outcome == Outcome::slower && decided(wall) == Outcome::slower)
    return std::nullopt;
  return fmt::format(
      "by CPU time it is {:.3g} to {:.3g} times as fast, by the clock on the wall "
      "{:.3g} to {:.3g} times",
      std::exp(cpu.low), std::exp(cpu.high), std::exp(wall.low), std::exp(wall.high));
}

}  // namespace

const SpeedRule kClocks{"clocks", "CPU time and the clock on the wall say different things",
                        Effect::undecided, complaint};

}  // namespace assay
