#include <fmt/format.h>

#include "base/units.h"
#include "judge/roofline.h"
#include "judge/rule.h"

namespace assay {
namespace {

// Peaks are measured too high rather than too low, and yet.
constexpr double kMargin = 0.8;

// Only bytes that nobody gets around: what is written, and inputs of which every element that was
// tried makes a difference. Where a kernel may skip work, it may skip their rest.
std::optional<std::string> impossible_complaint(const SpeedComparison& comparison) {
  if (!comparison.calibration) return std::nullopt;
  const Measured& measured = comparison.measured;
  const uint64_t bytes = measured.work.compulsory_bytes;
  const double least_ns =
      ns_for_bytes(bytes, measured.settings.cache, measured.threads, *comparison.calibration);
  const double call_ns = comparison.call_ns();
  if (call_ns >= kMargin * least_ns) return std::nullopt;
  return fmt::format("it takes {:.0f} ns, and {} cannot be moved in less than {:.0f} ns here",
                     call_ns, format_bytes(bytes), least_ns);
}

}  // namespace

const SpeedRule kImpossible{"impossible",
                            "it is faster than this machine moves the bytes that it has to",
                            Effect::undecided, impossible_complaint};

}  // namespace assay
