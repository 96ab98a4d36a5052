#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// Of what it gains by call in windows of several, so much has to be left where it is called alone.
constexpr double kLeast = 1.0 / 3;
// Of ln(ratio), so much may be what windows of several have and one call alone has not: both begin
// with caches that the judge has used, and short calls are alike then.
constexpr double kMostGained = 0.5;

// All inputs of a window lie in memory before its first call, so a candidate can compute what it
// has not been asked for yet. Who calls it gives it one input at a time.
std::optional<std::string> batched_complaint(const SpeedComparison& comparison) {
  const std::optional<Singles>& singles = comparison.duel.figures.singles;
  if (!singles || comparison.outcome != Outcome::faster) return std::nullopt;
  const Interval gained = interval_of(singles->gained, rank_after(comparison.measured.launches));
  if (gained.low <= std::max(kDeadBand, kMostGained * comparison.duel.interval.estimate))
    return std::nullopt;
  if (singles->single_gain_ns >= kLeast * singles->gain_ns) return std::nullopt;
  return fmt::format(
      "in windows of several calls one takes {:.3g} us less than the baseline's, and alone {:.3g} "
      "us "
      "less",
      singles->gain_ns / 1e3, singles->single_gain_ns / 1e3);
}

}  // namespace

const SpeedRule kBatched{"batched", "it is faster only where several calls are in one window",
                         Effect::undecided, batched_complaint};

}  // namespace assay
