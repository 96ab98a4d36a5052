// Other parameters than the problem makes.
#pragma once

#include <cstdint>
#include <optional>

#include "run/shared_tensors.h"
#include "verify/oracle.h"

namespace assay {

// Elements of the smallest tensor of the state that has one value everywhere: a scale of one, a
// shift of zero, as torch makes those of a normalisation. Whoever leaves it out computes the same,
// until it holds something else. Nothing: there is no such tensor.
std::optional<int64_t> smallest_uniform_state(const ProblemDescription& problem,
                                              const SharedTensors& values);

// Gives these other values: near the one they had, and of its sign, as a variance needs; where that
// is 0, normal ones.
void draw_uniform_state(const ProblemDescription& problem, const SharedTensors& values,
                        const RandomStream& random);

// Small whole numbers (Family::integers), in tensors that a call takes as parameters or buffers.
void draw_whole_state(const ProblemDescription& problem, const SharedTensors& values,
                      const RandomStream& random, int attempt);

}  // namespace assay
