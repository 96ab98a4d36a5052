// Candidates whose kernels are for a GPU that is not here: the stages compile and smoke.
#pragma once

#include "verify/oracle.h"
#include "verify/verify.h"

namespace assay {

// CUDA and HIP are compiled; Triton is, too, and its interpreter runs the kernels on small inputs,
// which finds what is plainly wrong and proves nothing. Blocks. Fails as verify() does.
Result<Verified> verify_gpu(const VerifyJob& job, const VerifyTools& tools, Children& children,
                            MemoryGate& memory, NativeLibraries& libraries);

// Of a candidate that is called on the CPU. It stops where it is for a GPU alone.
Step<void> check_is_for_cpu(const VerifyJob& job);
// What comes of Triton without a GPU is no failure of the candidate's: then the record says so.
void leave_to_gpus(const VerifyJob& job, StageRecord& record);

}  // namespace assay
