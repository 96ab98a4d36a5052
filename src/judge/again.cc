#include "judge/again.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {

int least_launches_again(size_t comparisons) {
  const double chance = kFamilyAlpha / static_cast<double>(std::max<size_t>(comparisons, 1));
  const double first = chance_of_faster(kLooks[0].launches, kLooks[0].launches);
  const int needed = static_cast<int>(std::ceil(std::log2(first / chance)));
  return std::clamp(needed, kLooks[0].launches, kLooks[1].launches - 1);
}

bool is_winner(const Judged& judged) {
  return judged.stage.status == StageStatus::ok && !judged.timing.provisional &&
         std::ranges::any_of(judged.timing.speedups,
                             [](const Speedup& each) { return each.outcome == Outcome::faster; });
}

Judged confirmed(const Judged& first, Judged second) {
  if (second.stage.status != StageStatus::ok) return second;
  for (Speedup& speedup : second.timing.speedups) {
    const auto before =
        std::ranges::find(first.timing.speedups, speedup.baseline, &Speedup::baseline);
    const bool is_same =
        before != first.timing.speedups.end() && before->outcome == speedup.outcome;
    if (is_same && speedup.chance && before->chance) *speedup.chance *= *before->chance;
    if (is_same || speedup.outcome == Outcome::undecided) continue;
    speedup.outcome = Outcome::undecided;
    speedup.reason = kAgain;
    speedup.chance.reset();
  }
  for (const std::string& label : first.timing.labels)
    if (std::ranges::find(second.timing.labels, label) == second.timing.labels.end())
      second.timing.labels.push_back(label);
  Json& evidence = second.stage.evidence;
  evidence["first"] = Json::array();
  for (const Speedup& speedup : first.timing.speedups)
    evidence["first"].push_back({{"baseline", speedup.baseline},
                                 {"ratio", speedup.ratio},
                                 {"low", speedup.low},
                                 {"high", speedup.high},
                                 {"outcome", to_word(kOutcomeWords, speedup.outcome)}});
  return second;
}

}  // namespace assay
