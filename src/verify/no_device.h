// Candidates that only a machine with another device can run: not judged here, and told what to do.
#pragma once

#include <string>
#include <string_view>

#include "verify/oracle.h"
#include "verify/verify.h"

namespace assay {

// In the evidence of a stage that failed: for want of a device, as the candidate itself has it.
inline constexpr const char* kNotHere = "not_here";

// What of a GPU's toolkit, or of torch's for it, a build did not find; "": that is not why it
// failed.
std::string missing_of_toolkit(std::string_view printed);

// Whether a source in CUDA, HIP or C++ is an extension of PyTorch's, and no kernel of ours.
bool is_of_torch(std::string_view source);

// Of a candidate that is called on the CPU. It stops where it is for a GPU alone.
Step<void> check_is_for_cpu(const VerifyJob& job);

// What failed for want of a device becomes `not_judged`, with what it needs for a rule. Not that
// of a candidate that has run here: what it asked for then is here.
void leave_to_devices(const VerifyJob& job, bool has_run, StageRecord& record);

}  // namespace assay
