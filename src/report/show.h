#pragma once

#include <string>

#include "model/attempt.h"

namespace assay {

// All that is known about one attempt, in plain words: what it is, why this verdict, what each
// stage cost and whether it was reused and why, where its files lie, how to see it again. `run` is
// the folder of its run, absolute.
std::string show_attempt(const Attempt& attempt, const std::string& result_folder,
                         const std::string& run);

}  // namespace assay
