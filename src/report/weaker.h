#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

// What the attempt's verification could not do, a sentence each: `weaker`.
std::vector<std::string> weaker_of(const Attempt& attempt);

}  // namespace assay
