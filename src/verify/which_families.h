// Which families of inputs a verification tries, and in what order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "verify/families.h"
#include "verify/oracle.h"

namespace assay {

// What is most likely to show something comes first.
std::span<const Family> families_in_order();

// How many rounds of a family there are at a size where all are tried: under `denormal` one for
// each tensor of floating point, up to four; two of `tiny`; a second one of `zeros` where there are
// indices or masks beside numbers. Under `touched` one for each tensor that is drawn, up to eight,
// and one for those that get_inputs() computes.
inline constexpr int kMostLeading = 4, kMostTouched = 8;
int rounds_of(Family family, const ProblemDescription& problem);

// Of these, what is tried where all would take too long: `ties` where an input is a mask, which
// nothing else turns.
std::vector<Family> telling_families(const ProblemDescription& problem);

std::string in_words(const std::vector<Family>& families);

}  // namespace assay
