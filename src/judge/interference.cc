#include "judge/interference.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {
namespace {

// ln: a baseline may be so much slower among others than alone.
constexpr double kLeast = 0.03;
// ln: and so much more than the candidate when it comes second. Half of that, a median over both
// orders may owe to it.
constexpr double kLeastBehind = 2 * kDeadBand;
// ln: where it is slower than that, an estimate says little, even of what would be faster without.
constexpr double kMost = 0.1;

}  // namespace

// A candidate cannot run while the baseline does, but it can leave caches, memory and clocks of the
// machine in a state that hurts.
std::optional<Slowed> slowed_baseline(const SpeedComparison& comparison) {
  if (comparison.outcome == Outcome::slower) return std::nullopt;  // it has not helped
  if (comparison.measured.settings.quick) return std::nullopt;     // two launches are no interval
  const int rank = rank_after(comparison.measured.launches);
  auto slowed = [&](const std::vector<double>& launches, double least) {
    const Interval interval = launches.empty() ? Interval{} : interval_of(launches, rank);
    return interval.low > least ? interval.estimate : 0;
  };
  const DuelFigures& figures = comparison.duel.figures;
  const Slowed among{slowed(figures.interference, kLeast),
                     "when the candidate is called beside it"};
  const Slowed behind{slowed(figures.behind, kLeastBehind),
                      "right behind the candidate than before it, beyond what the candidate does"};
  const Slowed& more = among.by >= behind.by ? among : behind;
  return more.by > 0 ? std::optional(more) : std::nullopt;
}

namespace {

std::optional<std::string> complaint(const SpeedComparison& comparison) {
  const auto slowed = slowed_baseline(comparison);
  if (!slowed) return std::nullopt;
  const SpeedRatios& ratios = comparison.duel.figures.by(comparison.measured.metric());
  Interval charged = with_window_costs(comparison.duel.interval, ratios);
  charged.low -= slowed->by;
  if (slowed->by <= kMost && decided(charged) == comparison.outcome) return std::nullopt;
  return fmt::format("the baseline takes {:.1f} % longer {}", 100 * std::expm1(slowed->by),
                     slowed->when);
}

}  // namespace

const SpeedRule kInterference{
    "interference", "the baseline is slower while the candidate is called in turn with it",
    Effect::undecided, complaint};

}  // namespace assay
