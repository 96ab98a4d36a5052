#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// ln: a baseline may be so much slower among others than alone.
constexpr double kMost = 0.03;

// A candidate cannot run while the baseline does, but it can leave caches, memory and clocks of the
// machine in a state that hurts.
std::optional<std::string> complaint(const SpeedComparison& comparison) {
  if (comparison.outcome == Outcome::slower) return std::nullopt;  // it has not helped
  if (comparison.measured.settings.quick) return std::nullopt;     // two launches are no interval
  const std::vector<double>& slowed = comparison.duel.figures.interference;
  if (slowed.empty()) return std::nullopt;
  const Interval interval = interval_of(slowed, rank_after(comparison.measured.launches));
  if (interval.low <= kMost) return std::nullopt;
  return fmt::format("the baseline takes {:.1f} % longer when the candidate is called beside it",
                     100 * std::expm1(interval.estimate));
}

}  // namespace

const SpeedRule kInterference{
    "interference", "the baseline is slower while the candidate is called in turn with it",
    Effect::undecided, complaint};

}  // namespace assay
