#include "judge/interference.h"

#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// ln: of what the candidate gains against each alone, so much is no difference.
constexpr double kLeast = kDeadBand;
// ln: and so much may it gain by who comes second. Half of that, a median over both orders may owe
// to it.
constexpr double kLeastBehind = 2 * kDeadBand;
// ln: where the baseline is slower than that, an estimate says little, even of what would be faster
// without.
constexpr double kMost = 0.1;

}  // namespace

// A candidate cannot run while the baseline does, but it can leave caches, memory and clocks of the
// machine in a state that hurts.
Slowed slowed_baseline(const Measured& measured, const Duel& duel, Outcome outcome) {
  if (outcome == Outcome::slower || measured.settings.quick) return {};
  const int rank = rank_after(measured.launches);
  auto gained = [&](const std::vector<double>& launches, double least) {
    const Interval interval = launches.empty() ? Interval{} : interval_of(launches, rank);
    return interval.low > least ? interval : Interval{};
  };
  const Interval among = gained(duel.figures.interference, kLeast);
  const Interval behind = gained(duel.figures.behind, kLeastBehind);
  if (behind.high > among.high)
    return {behind.estimate / 2, behind.high, "where it comes second than where it comes first"};
  return {among.estimate, among.high, "in turn with the candidate than alone"};
}

Interval without_gain(const Interval& interval, const Slowed& slowed) {
  const double estimate = interval.estimate - slowed.estimate;
  return {std::min(interval.low - slowed.most, estimate), estimate, interval.high};
}

namespace {

std::optional<std::string> complaint(const SpeedComparison& comparison) {
  const Slowed& slowed = comparison.slowed;
  const auto outcome = decided(without_gain(comparison.interval, slowed));
  if (slowed.estimate <= kMost && outcome.value_or(Outcome::undecided) == comparison.outcome)
    return std::nullopt;
  return fmt::format("the baseline loses {:.1f} % more than the candidate {}",
                     100 * std::expm1(slowed.estimate), slowed.when);
}

}  // namespace

const SpeedRule kInterference{
    "interference", "the baseline is slower while the candidate is called in turn with it",
    Effect::undecided, complaint};

}  // namespace assay
