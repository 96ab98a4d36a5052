#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "sandbox/isolation.h"

namespace assay {

// The filter of a jail's system calls, as instructions of 8 bytes for the kernel: what no kernel
// has to do, and what namespaces do not hold, is refused; of 32-bit programs everything, by death.
// Calls newer than this list do not exist in there.
// `has_loopback`: with the calls of who talks over a network of its own.
Result<std::vector<uint64_t>> system_call_filter(Isolation level, bool may_exec, bool has_devices,
                                                 bool has_loopback = false);

}  // namespace assay
