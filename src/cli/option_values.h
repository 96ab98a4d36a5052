// What options say, for the commands that share them.
#pragma once

#include <string>

#include "base/status.h"

namespace assay {

// A number from 1 to 1024.
Result<int> parse_count(const char* option, const std::string& text);

}  // namespace assay
