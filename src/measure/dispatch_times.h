// How long each dispatch of a compiled program takes, from what IREE's tools print.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "measure/call_parts.h"

namespace assay {

// What both say may come from the artifact.

// Nanoseconds of one call by its CPU time, as google-benchmark writes it in iree-benchmark-module:
// it has one thread, which on a busy machine waits between. 0: it says none.
double read_call_ns(std::string_view text);

// What `--print_statistics` says at the end. Nothing where it says nothing.
std::optional<AllocatorBytes> read_allocator_bytes(std::string_view text);

// `events` are the lines of `iree-profile dispatch --format=jsonl --dispatch_events`, of so many
// calls: no dispatch tells how many those were, as all of them may be in a loop. They may be cut
// off, and then a summary says how many there are. Nothing where no dispatch was seen.
std::optional<CallParts> read_dispatch_times(double call_ns, size_t calls, std::string_view events);

}  // namespace assay
