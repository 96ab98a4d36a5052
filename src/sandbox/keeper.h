// The keeper of one worker: waits for it, stops and continues what is below it, ends what it leaves
// behind, and reports. Part of the fork server.
//
// No dependency beyond the C library: this is also built into the CPython extension.
#pragma once

#include <sys/types.h>

#include "sandbox/fork_server.h"

namespace assay::sandbox {

// Blocks what a keeper waits for; gives a descriptor to read it from (-1 with errno). `inherited`
// is what was blocked before: the worker's.
int watch_signals(sigset_t* inherited);

// Runs until no descendant is left. `control` is assay's socket for KeeperCommands, or -1.
KeeperReport keep(pid_t worker, bool in_namespace, int signals, int control);

}  // namespace assay::sandbox
