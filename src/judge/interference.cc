#include <fmt/format.h>

#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// ln: above that, an estimate of what is left says little.
constexpr double kMostInterference = 0.1;

// A candidate cannot run while the baseline does, but it can leave caches, memory and clocks of the
// machine in a state that hurts.
std::optional<std::string> interference_complaint(const SpeedComparison& comparison) {
  const bool may_owe_to_it =
      comparison.outcome == Outcome::faster || comparison.outcome == Outcome::equal;
  if (!may_owe_to_it) return std::nullopt;
  const std::vector<double>& gained = comparison.duel.figures.interference;
  // Launches in which the candidate was slower have none, nor has the last where the time was up.
  const Measured& measured = comparison.measured;
  if (comparison.outcome == Outcome::faster && !measured.settings.quick &&
      2 * gained.size() < static_cast<size_t>(measured.launches))
    return fmt::format("in {} of {} launches nothing tells what the baseline takes alone",
                       measured.launches - static_cast<int>(gained.size()), measured.launches);
  const Gain gain = gain_of(gained);
  if (gain.estimate == 0) return std::nullopt;
  if (gain.estimate <= kMostInterference &&
      decided(without_gain(comparison.interval, gain)) == comparison.outcome)
    return std::nullopt;
  return fmt::format("in turn with the candidate the baseline loses {:.1f} % more than it does",
                     100 * std::expm1(gain.estimate));
}

}  // namespace

const SpeedRule kInterference{
    "interference", "the baseline loses more than the candidate by being called in turn with it",
    Effect::undecided, interference_complaint};

}  // namespace assay
