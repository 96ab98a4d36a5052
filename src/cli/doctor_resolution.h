#pragma once

#include "base/status.h"
#include "cli/doctor.h"

namespace assay {

// `assay doctor --timing`: times a kernel against itself, and says how small a difference this
// machine decides.
Status try_timing(Doctor& doctor);

}  // namespace assay
