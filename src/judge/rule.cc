#include "judge/rule.h"

namespace assay {

std::span<const SpeedRule* const> speed_rules() {
  static constexpr const SpeedRule* kAll[] = {&kInputIndependent, &kClocks,  &kInterference,
                                              &kBatched,          &kNoisy,   &kImpossible,
                                              &kSuspicious,       &kLibrary, &kFallback};
  return kAll;
}

Effect effect_of(const SpeedRule& rule, const Severities& severities) {
  const auto found = severities.find(rule.name);
  return found == severities.end() ? rule.effect : found->second;
}

}  // namespace assay
