#pragma once

#include "base/places.h"
#include "base/status.h"
#include "target/iree_compiler.h"
#include "target/machine.h"

namespace assay {

// The compiler a run would use.
Result<IreeCompiler> find_compiler(const Machine& machine, const Places& places);

}  // namespace assay
