// Who is faster for all that many were tried: each comparison of a report, seen as one of all.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/attempt.h"

namespace assay {

// Of those that are faster, the ones that still are, by Holm's correction over all comparisons of
// these attempts: an attempt's id, and the baseline.
using Standing = std::set<std::pair<std::string, std::string>>;
Standing standing_of(const std::vector<Attempt>& attempts);

}  // namespace assay
