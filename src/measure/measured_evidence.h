// What the record says of a measurement.
#pragma once

#include <vector>

#include "base/json.h"
#include "measure/contest.h"
#include "measure/measure.h"

namespace assay {

// The evidence of the stage `measure` (docs/formats.md). `forked_from`: of each launch, which
// process each side's own was forked from.
Json evidence_of(const Measured& measured, const LaunchPlan& plan,
                 const std::vector<std::vector<unsigned>>& forked_from);

}  // namespace assay
