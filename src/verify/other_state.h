// Parameters that are as nobody trains them: a scale of one, a shift of zero, as torch makes those
// of a normalisation. Whoever leaves them out computes the same, until they hold something else.
#pragma once

#include "run/shared_tensors.h"
#include "verify/oracle.h"

namespace assay {

// Whether some tensor of the state has one value everywhere, and so shows nothing of its use.
bool has_uniform_state(const ProblemDescription& problem, const SharedTensors& values);

// Gives these other values: near the one they had, and of its sign, as a variance needs; where that
// is 0, normal ones.
void draw_uniform_state(const ProblemDescription& problem, const SharedTensors& values,
                        const RandomStream& random);

}  // namespace assay
