#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "judge/rule.h"

namespace assay {
namespace {

// Of pairs, that the judge's own clock may fail for: a control group's is late now and then.
constexpr double kMostInvalid = 0.05;

// Windows around those that count are there for runners to prepare calls and to tell of results,
// which is much the same for both. What a candidate does in them besides, nobody would charge it.
std::optional<std::string> around(const SpeedComparison& comparison) {
  constexpr double kNs = 50'000, kPart = 0.05;
  const Measured& measured = comparison.measured;
  const DuelFigures& figures = comparison.duel.figures;
  std::vector<double> windows_ns;
  for (const WindowRecord& window : measured.windows)
    if (window.use == WindowUse::pair && window.side == 0)
      windows_ns.push_back(
          static_cast<double>(by(measured.metric(), window.cpu_ns, window.wall_ns)));
  if (!figures.is_around_alike || windows_ns.empty() || figures.around_ns <= 0) return std::nullopt;
  const double window_ns = median(windows_ns);
  if (window_ns <= 0) return std::nullopt;
  auto works = [&](std::string_view besides) {
    return fmt::format(
        "around each window that is timed it works {:.0f} us more than the baseline does{}",
        figures.around_ns / 1e3, besides);
  };
  if (figures.around_ns > kNs + kPart * window_ns) return works("");
  // Less than that is chance, mostly; but nobody wins by it.
  if (comparison.outcome != Outcome::faster) return std::nullopt;
  Interval interval = comparison.duel.interval;
  if (measured.settings.quick)
    interval.low = *std::ranges::min_element(figures.by(measured.metric()).pairs);
  interval = charged(interval, figures, measured.metric());
  interval.low -= std::log1p(figures.around_ns / window_ns);
  if (interval.low > kDeadBand) return std::nullopt;
  return works(", and counted in it would not be faster");
}

// Work that is done elsewhere, by a device, by the kernel for another process, costs this one no
// CPU time. On the wall it shows.
std::optional<std::string> clocks_complaint(const SpeedComparison& comparison) {
  const Measured& measured = comparison.measured;
  const DuelFigures& figures = comparison.duel.figures;
  const SpeedRatios& ratios = figures.by(measured.metric());
  const int all = static_cast<int>(ratios.pairs.size()) + ratios.invalid;
  if (ratios.invalid > kMostInvalid * all)
    return fmt::format(
        "{} of {} pairs have a window in which the clock did not move, or the clock of its control "
        "group and those of its processes disagree",
        ratios.invalid, all);
  // A few of few are no share.
  if (figures.alone_invalid > 1 + kMostInvalid * figures.alone)
    return fmt::format(
        "in {} of {} windows of one side alone the clock of its control group and those of its "
        "processes disagree",
        figures.alone_invalid, figures.alone);
  if (auto why = around(comparison)) return why;
  if (measured.metric() != Metric::cpu) return std::nullopt;  // several threads: they differ anyhow
  // What few launches have is no interval.
  if (measured.settings.quick || measured.launches < measured.least_launches) return std::nullopt;
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
                        Effect::undecided, clocks_complaint};

}  // namespace assay
