// What a language model is told of what its code will run on.
#pragma once

#include <string>

#include "target/calibration.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

// Lines of a list, the last one without its end. Of a CPU that is this machine's: its caches and
// vectors, and what was measured where it is calibrated; of a GPU what its target file says.
std::string target_sheet(const Target& target, const Machine& machine,
                         const MachineIdentity& identity, const Calibration* calibration,
                         int threads);

}  // namespace assay
