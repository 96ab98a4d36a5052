#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

// The names of the symbols that an ELF file uses and leaves to others to define, sorted. For files
// of either word size, little-endian. Fails when the bytes are no such file, or are damaged.
Result<std::vector<std::string>> undefined_symbols_of_elf(std::string_view bytes);

struct ElfFacts {
  uint16_t machine = 0;                // EM_X86_64, EM_AARCH64, ...
  uint64_t code_bytes = 0;             // of all that is executed
  std::string_view amdgpu_metadata{};  // MessagePack, of code for AMD's GPUs; of the file's bytes
};
// Fails as undefined_symbols_of_elf() does.
Result<ElfFacts> facts_of_elf(std::string_view bytes);

}  // namespace assay
