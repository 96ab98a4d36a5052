// Stopping, continuing and timing all processes below a keeper, without control groups. Part of
// the fork server; every function must be called in the keeper.
//
// No dependency beyond the C library: this is also built into the CPython extension.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace assay::sandbox {

// What is stopped at once: the pid namespace whose first process we are, or the worker's process
// group, which nobody can leave where the system call filter holds.
struct ProcessGroup {
  bool in_namespace = false;
  pid_t worker = -1;
};

// Returns when no process below us can run any more: each thread has stopped, or is waiting in the
// kernel for a child that has. False when one of them did not stop within a second.
bool stop_all(const ProcessGroup& group);

void continue_all(const ProcessGroup& group);

// CPU time of all that are below us now, with that of children that they have waited for; the
// latter in steps of a clock tick.
int64_t cpu_ns_of_all(bool in_namespace);

}  // namespace assay::sandbox
