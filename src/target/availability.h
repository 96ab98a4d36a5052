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

// Something is missing; `mend` is a command, where there is one.
Availability missing(std::string what, const std::string& mend = "");

// Whether kernels can be compiled for it. `flags` are the resolved ones; `compiler` is null where
// there is none.
Availability can_compile(const Target& target, const std::vector<std::string>& flags,
                         const Machine& machine, const IreeCompiler* compiler);

// Whether code for it can run here. Not ready, with nothing missing, when its runner is `none`.
Availability can_run(const Target& target, const Machine& machine);

// Whether it runs here in a process as any other: code for this machine's own CPU.
bool runs_on_this_cpu(const Target& target, const Machine& machine);

// Whether an emulator is what could call code for it here: it has one, and is no CPU like this one.
bool is_to_be_emulated(const Target& target, const Machine& machine);

// The command that installs packages of the distribution; "" for none.
std::string install_command(const std::string& package);

}  // namespace assay
