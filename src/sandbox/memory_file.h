// Files that live in memory and travel to a worker as descriptors.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

// A file holding `bytes` that nobody can change any more, whoever holds a descriptor. `name` shows in /proc.
Result<UniqueFd> sealed_memory_file(const char* name, std::string_view bytes);

// An empty file for a worker to write its result into.
Result<UniqueFd> empty_memory_file(const char* name);

// All that has been written. Refuses a file longer than `max_bytes`: its size is a stranger's claim.
Result<std::string> read_memory_file(const UniqueFd& file, uint64_t max_bytes);

}  // namespace assay
