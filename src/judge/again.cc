#include "judge/again.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace assay {

namespace {

// How often one that is no faster comes out as faster the first time, at any look.
double chance_of_a_winner() {
  return chance_of_faster(std::rbegin(kLooks)->launches, kLooks[0].launches);
}

}  // namespace

int least_launches_again(size_t comparisons) {
  const double chance = kFamilyAlpha / static_cast<double>(std::max<size_t>(comparisons, 1));
  const int needed = static_cast<int>(std::ceil(std::log2(chance_of_a_winner() / chance)));
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
    // At whichever look the first measurement ended: a product of what the two came to would be
    // less than how often both are wrong.
    if (is_same && speedup.chance) *speedup.chance *= chance_of_a_winner();
    if (is_same || speedup.outcome == Outcome::undecided) continue;
    speedup.outcome = Outcome::undecided;
    speedup.reason = kAgain;
    speedup.chance.reset();
  }
  second.is_suspicious |= first.is_suspicious;
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
