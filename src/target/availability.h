#pragma once

#include <string>

#include "target/iree_compiler.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

// Whether something can be done for a target on this machine, and what is missing otherwise.
struct Availability {
  bool ready = false;
  std::string missing;  // one line; "" when ready
  std::string mend;     // a command, where there is one
};

// Whether kernels can be compiled for it. `flags` are the resolved ones; `compiler` is null where
// there is none.
Availability can_compile(const Target& target, const std::vector<std::string>& flags,
                         const Machine& machine, const IreeCompiler* compiler);

// Whether code for it can run here. Not ready, with nothing missing, when its runner is `none`.
Availability can_run(const Target& target, const Machine& machine);

// Whether it runs here in a process as any other: code for this machine's own CPU.
bool runs_on_this_cpu(const Target& target, const Machine& machine);

// How it would be run here: a CPU of its own architecture needs no emulator.
RunnerKind runner_here(const TargetRunner& runner, const Machine& machine);

// The command that installs packages of the distribution; "" for none.
std::string install_command(const std::string& package);

}  // namespace assay
