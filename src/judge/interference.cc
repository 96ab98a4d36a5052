#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// ln: a baseline may be so much slower among others than alone.
constexpr double kMost = 0.03;
// ln: and so much slower right behind the candidate's window than right before it. Half of that, a
// median over both orders may owe to it.
constexpr double kMostBehind = 2 * kDeadBand;

// A candidate cannot run while the baseline does, but it can leave caches, memory and clocks of the
// machine in a state that hurts.
std::optional<std::string> complaint(const SpeedComparison& comparison) {
  if (comparison.outcome == Outcome::slower) return std::nullopt;  // it has not helped
  if (comparison.measured.settings.quick) return std::nullopt;     // two launches are no interval
  const DuelFigures& figures = comparison.duel.figures;
  const int rank = rank_after(comparison.measured.launches);
  auto slowed = [&](const std::vector<double>& launches, double most) -> std::optional<double> {
    if (launches.empty()) return std::nullopt;
    const Interval interval = interval_of(launches, rank);
    if (interval.low <= most) return std::nullopt;
    return 100 * std::expm1(interval.estimate);
  };
  if (auto percent = slowed(figures.interference, kMost))
    return fmt::format("the baseline takes {:.1f} % longer when the candidate is called beside it",
                       *percent);
  if (auto percent = slowed(figures.behind, kMostBehind))
    return fmt::format(
        "the baseline takes {:.1f} % longer right behind the candidate than before it", *percent);
  return std::nullopt;
}

}  // namespace

const SpeedRule kInterference{
    "interference", "the baseline is slower while the candidate is called in turn with it",
    Effect::undecided, complaint};

}  // namespace assay
