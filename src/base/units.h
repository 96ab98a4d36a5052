// Quantities with units, as people type and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace assay {

// "90s", "2m", "1h", "500ms", "1.5s"; a bare number is seconds. Must be above zero.
Result<int64_t> parse_duration_ns(std::string_view text);
// "512M", "8G", "4GiB", "1048576"; K M G T are powers of 1024. Must be above zero.
Result<uint64_t> parse_bytes(std::string_view text);

// Three significant digits with a fitting unit: "1.23 s", "45.6 ms", "2m 05s".
std::string format_duration(int64_t ns);
// "1.2 MiB", "532 B".
std::string format_bytes(uint64_t bytes);

// "1 attempt", "2 attempts".
std::string format_count(size_t count, std::string_view noun);

// The same quantities without rounding, in the largest unit that fits, as the parsers above read
// them: "5m", "1500ms", "8G".
std::string exact_duration(int64_t ns);
std::string exact_bytes(uint64_t bytes);

}  // namespace assay
