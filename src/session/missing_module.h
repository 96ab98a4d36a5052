#pragma once

#include <string>
#include <string_view>

#include "base/disk.h"
#include "model/attempt.h"

namespace assay {

// What pip calls the package that brings this module.
std::string_view package_of(std::string_view module);

// What a stage failed for is a module that Python has not found: adds the line that installs it
// into the interpreter in use, or, where a file of that name lies beside the problem or the
// candidate, that it takes no part. Leaves any other stage as it is.
void explain_missing_module(const Disk& disk, const std::string& python, const Attempt& attempt,
                            StageRecord& stage);

}  // namespace assay
