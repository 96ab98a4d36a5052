#pragma once

#include "base/status.h"
#include "cli/doctor.h"
#include "cli/output.h"

namespace assay {

// What of this machine makes timing scatter, as far as files say it; and whether it is calibrated.
void check_timing(Doctor& doctor);

// `assay doctor --fix`: mends what of that can be mended, and says how to undo it. The exit status:
// 2 where something could not be.
int fix_timing(Output& output);

}  // namespace assay
