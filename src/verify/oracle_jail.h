#pragma once

#include <string>

#include "verify/verify.h"

namespace assay {

// The jail that a problem's own code runs in: a candidate's, which has besides what problems read,
// the folder of its file and the local cache of the Hugging Face hub.
JailSpec oracle_jail(const VerifyTools& tools, const std::string& problem_path);

}  // namespace assay
