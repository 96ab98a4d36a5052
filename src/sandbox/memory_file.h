// Files that live in memory and travel to a worker as descriptors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// A file holding `bytes` that nobody can change any more, whoever holds a descriptor. `name` shows
// in /proc.
Result<UniqueFd> sealed_memory_file(const char* name, std::string_view bytes);

// An empty file for a worker to write its result into.
Result<UniqueFd> empty_memory_file(const char* name);

// A result larger than this is a runaway. Workers get it as the limit of any file they write.
inline constexpr uint64_t kMaxResultBytes = uint64_t{1} << 30;

// All that has been written, up to kMaxResultBytes.
Result<std::string> read_memory_file(const UniqueFd& file);

}  // namespace assay
