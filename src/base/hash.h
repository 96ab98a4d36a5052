#pragma once

#include <string>
#include <string_view>

namespace assay {

// SHA-256 as 64 lower-case hexadecimal digits. Names what the cache holds, some of it written by
// people who would like one kernel to be taken for another: so a cryptographic hash, not a fast
// one.
std::string sha256(std::string_view bytes);

}  // namespace assay
