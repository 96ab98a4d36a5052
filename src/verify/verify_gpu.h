// Candidates whose kernels are for a GPU that is not here: the stages compile and smoke.
#pragma once

#include "verify/verify.h"

namespace assay {

// CUDA and HIP are compiled; Triton is, too, and its interpreter runs the kernels on small inputs,
// which finds what is plainly wrong and proves nothing. Blocks. Fails as verify() does.
Result<Verified> verify_gpu(const VerifyJob& job, const VerifyTools& tools, Children& children,
                            MemoryGate& memory, NativeLibraries& libraries);

}  // namespace assay
