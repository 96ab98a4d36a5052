#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

// The names of the symbols that an ELF file uses and leaves to others to define, sorted. For files
// of either word size, little-endian. Fails when the bytes are no such file, or are damaged.
Result<std::vector<std::string>> undefined_symbols_of_elf(std::string_view bytes);

}  // namespace assay
