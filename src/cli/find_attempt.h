#pragma once

#include <string>

#include "store/run_store.h"

namespace assay {

// The attempt of a run that a user means: by its id; else by an end of it that begins after a "/",
// if only one attempt has that; else by any part that only one has.
Result<Attempt> find_attempt(RunStore& store, const std::string& part);

}  // namespace assay
