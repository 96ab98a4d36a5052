#include "judge/rule.h"

#include "base/rows.h"

namespace assay {

std::span<const SpeedRule* const> speed_rules() {
  static const std::vector<const SpeedRule*> all = with_added_rows<const SpeedRule*>(
      {&kInputIndependent, &kClocks, &kInterference, &kBatched, &kNoisy, &kImpossible, &kSuspicious,
       &kLibrary, &kFallback});
  return all;
}

Effect effect_of(const SpeedRule& rule, const Severities& severities) {
  const auto found = severities.find(rule.name);
  return found == severities.end() ? rule.effect : found->second;
}

}  // namespace assay
