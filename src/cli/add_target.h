#pragma once

#include <string>
#include <vector>

#include "model/run_record.h"
#include "target/target.h"

namespace assay {

// Adds the target that --on names, as the settings have it. Fails where another file of that name
// is among them.
Status add_target(const TargetCatalog& catalog, const std::string& name,
                  const RunSettings& settings, std::vector<Target>& targets);

// Of targets that candidates are asked for. Code for a GPU that is not here is compiled, and
// interpreted; that for another CPU is neither.
Status refuse_other_cpus(const std::vector<Target>& targets);

}  // namespace assay
