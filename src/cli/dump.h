// `assay show RUN ATTEMPT --dump DIR`: what the round that decided had, and what came of it.
#pragma once

#include <string>

#include "cli/output.h"
#include "model/attempt.h"
#include "store/run_store.h"

namespace assay {

// Replays the attempt, which was rejected or failed in verify, and has the folder get its inputs,
// its results and what was expected. Fails where the same does not come of it.
Status dump_mismatch(const RunStore& store, const std::string& run, const Attempt& attempt,
                     const std::string& folder, Output& output);

}  // namespace assay
