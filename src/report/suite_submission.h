// What `assay submit` posts of a run.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"

namespace assay {

// {"data": [team, the sum of speed-ups]}, as geak-eval posts it, with scores of each author
// besides. Nothing is timed without a card: the sum is null then.
Json suite_submission(const std::string& team, const std::string& assay_version,
                      const std::vector<Attempt>& attempts);

}  // namespace assay
