#include "verify/which_families.h"

#include <algorithm>

namespace assay {

std::span<const Family> families_in_order() {
  // Each round of `touched` differs from the one before in one input, the first from `own`.
  static constexpr Family kFamilies[] = {Family::touched,   Family::interior, Family::zeros,
                                         Family::constants, Family::moderate, Family::large,
                                         Family::offset,    Family::spike,    Family::nonfinite,
                                         Family::ties,      Family::tiny,     Family::denormal};
  return kFamilies;
}

int rounds_of(Family family, const ProblemDescription& problem) {
  int numbers = 0, others = 0, drawn = 0, computed = 0;
  for (const Leaf& leaf : problem.inputs) {
    if (!leaf.tensor || leaf.domain.kind == DomainKind::constant) continue;
    drawn += leaf.draw ? 1 : 0;
    computed |= leaf.draw ? 0 : 1;  // all of it is drawn at once
    // What is computed may hold labels: it is a number as far as is known here.
    bool is_label = leaf.domain.kind != DomainKind::free ||
                    (leaf.draw && holds_labels(*leaf.tensor, &*leaf.draw, nullptr));
    ++(is_floating(leaf.tensor->dtype) && !is_label ? numbers : others);
  }
  if (family == Family::touched) return std::clamp(drawn + computed, 1, kMostTouched);
  if (family == Family::denormal || family == Family::nonfinite)
    return std::clamp(numbers, 1, kMostLeading);
  if (family == Family::zeros) return numbers > 0 && others > 0 ? 2 : 1;
  return family == Family::tiny ? 2 : 1;
}

std::vector<Family> telling_families(const ProblemDescription& problem) {
  std::vector<Family> families = {Family::touched,  Family::interior, Family::constants,
                                  Family::moderate, Family::offset,   Family::nonfinite};
  bool has_mask = std::ranges::any_of(problem.inputs, [](const Leaf& leaf) {
    return leaf.domain.kind == DomainKind::mask ||
           (leaf.tensor && leaf.draw && is_still_mask(*leaf.tensor, *leaf.draw));
  });
  if (has_mask) families.push_back(Family::ties);
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
