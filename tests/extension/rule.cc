// A rule of nobody's: it is against whoever is a thousand times as fast.
#include "judge/rule.h"

#include "base/rows.h"

namespace assay {
namespace {

std::optional<std::string> is_too_good(const SpeedComparison& comparison) {
  constexpr double kThousand = 6.9;  // ln(1000)
  if (-comparison.interval.estimate < kThousand) return std::nullopt;
  return "a thousand times as fast";
}

const SpeedRule kTooGood{"too-good", "it is a thousand times as fast", Effect::label, is_too_good};
const AddedRow<const SpeedRule*> kRow(&kTooGood);

}  // namespace
}  // namespace assay
