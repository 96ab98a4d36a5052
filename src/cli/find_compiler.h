#pragma once

#include "base/places.h"
#include "base/status.h"
#include "target/iree_compiler.h"
#include "target/machine.h"

namespace assay {

// The compiler a run would use. `iree`: what --iree names; "": it is not given.
Result<IreeCompiler> find_compiler(const Machine& machine, const Places& places,
                                   const std::string& iree = "");

}  // namespace assay
