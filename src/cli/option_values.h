// What options say, for the commands that share them.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace assay {

// A number from 1 to 1024.
Result<int> parse_count(const char* option, const std::string& text);

// How long an attempt may take: --timeout.
Result<int64_t> parse_timeout_ns(const std::string& text);
// What one process may take: --memory. Not less than one that has imported torch takes.
Result<uint64_t> parse_memory_bytes(const std::string& text);

}  // namespace assay
