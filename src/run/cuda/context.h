// assay's own context on the card: of the process, made when it is first needed.
#pragma once

#include "base/status.h"
#include "run/cuda/driver.h"

namespace assay::cuda {

// Makes the context current in this thread, and the process's if there is none yet. Of each thread
// that calls the driver. Returns the driver.
Result<const Driver*> enter_context();

}  // namespace assay::cuda
