#include "verify/which_families.h"

#include <algorithm>

namespace assay {

std::span<const Family> families_in_order() {
  static constexpr Family kFamilies[] = {
      Family::interior, Family::zeros, Family::constants, Family::moderate, Family::large,
      Family::offset,   Family::spike, Family::nonfinite, Family::ties,     Family::denormal};
  return kFamilies;
}

std::vector<Family> telling_families(const ProblemDescription& problem) {
  std::vector<Family> families = {Family::interior, Family::constants, Family::moderate,
                                  Family::offset, Family::nonfinite};
  bool has_still_mask = std::ranges::any_of(problem.inputs, [](const Leaf& leaf) {
    return leaf.tensor && leaf.draw && is_still_mask(*leaf.tensor, *leaf.draw);
  });
  if (has_still_mask) families.push_back(Family::ties);
  return families;
}

std::string in_words(const std::vector<Family>& families) {
  std::string words;
  for (Family family : families) {
    if (!words.empty()) words += ", ";
    words += to_word(kFamilyWords, family);
  }
  return words;
}

}  // namespace assay
