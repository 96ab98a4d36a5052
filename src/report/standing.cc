#include "report/standing.h"

#include <utility>

#include "report/rank_sum.h"

namespace assay {

Standing standing_of(const std::vector<Attempt>& attempts) {
  std::vector<std::pair<std::string, std::string>> compared;
  std::vector<double> chances;
  for (const Attempt& attempt : attempts) {
    if (!attempt.timing) continue;
    for (const Speedup& speedup : attempt.timing->speedups) {
      compared.emplace_back(attempt.id, speedup.baseline);
      chances.push_back(speedup.chance.value_or(1));
    }
  }
  const std::vector<double> adjusted = holm_adjusted(chances);
  Standing standing;
  for (size_t i = 0; i < compared.size(); ++i)
    if (adjusted[i] <= kFamilyAlpha) standing.insert(std::move(compared[i]));
  return standing;
}

}  // namespace assay
