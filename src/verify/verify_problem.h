// A candidate that is called here, beside the problem's own model.
#pragma once

#include <optional>

#include "verify/verify.h"

namespace assay {

Result<Verified> verify_problem(const VerifyJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries,
                                std::optional<Oracle>* keep);

}  // namespace assay
