// Kernels of public suites, which bring tests along: the stages compile, where a GPU is asked for,
// and smoke.
#pragma once

#include "verify/verify.h"

namespace assay {

// Runs the tests with the suite's own code and with the candidate's, each in a process of its own,
// and compares what they leave as whole trees: under the suite's seed as the suite does, and under
// secret ones by what the types of elements allow. Blocks. Fails as verify() does.
Result<Verified> verify_suite(const VerifyJob& job, const VerifyTools& tools, Children& children,
                              MemoryGate& memory);

}  // namespace assay
