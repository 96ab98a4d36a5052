#include <fmt/format.h>

#include "judge/roofline.h"
#include "judge/rule.h"

namespace assay {
namespace {

// The definition's operations are no bound: a fast convolution, or one that skips zeros, has fewer.
// So it is looked at once more, and never blamed for it.
std::optional<std::string> suspicious_complaint(const SpeedComparison& comparison) {
  if (!comparison.calibration) return std::nullopt;
  const Measured& measured = comparison.measured;
  const auto least_ns = ns_for_flops(measured.work, measured.threads, *comparison.calibration);
  const double call_ns = comparison.call_ns();
  if (!least_ns || call_ns >= *least_ns) return std::nullopt;
  return fmt::format(
      "it takes {:.0f} ns for {:.3g} FLOP of the definition's, which this machine does in {:.0f} "
      "ns at best",
      call_ns, static_cast<double>(*measured.work.flops), *least_ns);
}

}  // namespace

const SpeedRule kSuspicious{
    "suspicious",
    "it is faster than this machine does the definition's operations; it is verified once more",
    Effect::label, suspicious_complaint};

}  // namespace assay
