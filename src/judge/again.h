// One that is faster, of many that were tried, may be so by chance: it is measured again.
#pragma once

#include <cstddef>

#include "judge/judge.h"

namespace assay {

// So many launches are the least of the second measurement, of one of so many comparisons: where
// all of them, and all of the first, are on one side, that is no chance among so many (Holm).
int least_launches_again(size_t comparisons);

// Whether it is to be measured again: it is faster than a baseline, by more than a quick look.
bool is_winner(const Judged& judged);

// What is said after both: the second's figures, since nobody was chosen by them. Where the two do
// not say the same, the comparison is undecided for kAgain.
Judged confirmed(const Judged& first, Judged second);

}  // namespace assay
