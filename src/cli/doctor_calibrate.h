#pragma once

#include "base/status.h"
#include "cli/output.h"

namespace assay {

// `assay doctor --calibrate`: measures what this machine can do at most, keeps it, and says it.
Status calibrate_machine(Output& output);

}  // namespace assay
