// Other parameters than the problem makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/shared_tensors.h"
#include "verify/oracle.h"

namespace assay {

// What no seed changes, of each tensor of the state: one that has one value everywhere, a scale of
// one, a shift of zero, as torch makes those of a normalisation; and a parameter that is the same
// under two seeds. Whoever leaves it out computes the same, until it holds something else.
class FixedState {
 public:
  FixedState() = default;
  FixedState(const ProblemDescription& problem, const SharedTensors& values);
  // The same problem under another seed: also parameters that are as they were then are fixed.
  void compare(const ProblemDescription& problem, const SharedTensors& values);

  bool any() const;  // is there
  // Gives these other values: near those they had, and of their sign, as a variance needs, but none
  // so small that it would not show; in place of 0, normal ones. The problem may have another size.
  void draw(const ProblemDescription& problem, const SharedTensors& values,
            const RandomStream& random) const;

 private:
  std::vector<bool> fixed_;
  std::vector<std::string> digests_;  // of parameters that are not fixed yet; of others ""
};

// Small whole numbers (Family::integers), in tensors that a call takes as parameters or buffers.
void draw_whole_state(const ProblemDescription& problem, const SharedTensors& values,
                      const RandomStream& random, int attempt);

}  // namespace assay
