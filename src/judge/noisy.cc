#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/rule.h"

namespace assay {
namespace {

// A window is disturbed where its threads waited for so much of their time for a core, ...
constexpr double kMuch = 0.10;
// ... and so many windows may be.
constexpr double kMostDisturbed = 0.20;
// What is so many times larger than all that launches differ by is none of that.
constexpr double kClearly = 3;

// CPU time leaves out what others take of a core; the clock on the wall has it all.
std::optional<std::string> noisy_complaint(const SpeedComparison& comparison) {
  const Measured& measured = comparison.measured;
  // Nor has the card's own clock anything of it.
  if (measured.metric() == Metric::cpu || measured.is_gated) return std::nullopt;
  size_t all = 0, disturbed = 0;
  for (const WindowRecord& window : measured.windows) {
    if (window.use != WindowUse::pair) continue;
    ++all;
    const double threads_ns = static_cast<double>(window.wall_ns) * measured.threads;
    if (static_cast<double>(window.waited_ns) > kMuch * threads_ns) ++disturbed;
  }
  if (static_cast<double>(disturbed) <= kMostDisturbed * static_cast<double>(all))
    return std::nullopt;
  const auto [least, most] = std::ranges::minmax(comparison.duel.figures.wall.launches);
  if (std::fabs(comparison.duel.interval.estimate) > kClearly * (most - least)) return std::nullopt;
  return fmt::format(
      "in {} of {} windows threads waited more than {:.0f} % of their time for a core", disturbed,
      all, 100 * kMuch);
}

}  // namespace

const SpeedRule kNoisy{"noisy",
                       "launches differ by more than what there is to be told apart, or threads "
                       "had to wait for cores",
                       Effect::undecided, noisy_complaint};

}  // namespace assay
