#pragma once

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "engine/request.h"
#include "run/python.h"
#include "target/machine.h"
#include "verify/verify.h"

namespace assay {

// What candidates are verified with, in the strongest jail that this machine gives. Fails where
// that is weaker than the settings ask for; without a word of theirs it must be a jail at all,
// unless `trust`.
Result<VerifyTools> find_verify_tools(const Disk& disk, const Machine& machine,
                                      const Places& places, const PythonDescription& python,
                                      const RunSettings& settings, bool trust);

}  // namespace assay
