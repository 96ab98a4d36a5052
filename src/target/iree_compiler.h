// What an installed IREE compiler can do, asked of its command line tool: assay itself loads no
// compiler.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "target/machine.h"

namespace assay {

struct IreeCompiler {
  std::string tool;                // path of iree-compile
  std::string version;             // "" when nothing says
  std::set<std::string> backends;  // as `--iree-hal-list-target-backends` names them
};

// The tool of the iree-base-compiler that is installed beside an interpreter, found without asking
// the interpreter, which takes longer than all else here. "" when it is not clear which that is.
std::string tool_beside_python(const Disk& disk, const std::string& python);

// The same of a tool of the iree-base-runtime there: "iree-profile".
std::string runtime_tool_beside_python(const Disk& disk, const std::string& python,
                                       const std::string& name);

// The version of a compiler, given by its tool or library; "" when nothing says.
std::string version_of_compiler(const Machine& machine, const std::string& compiler);

// Asks the tool. Fails when it cannot be run or does not answer as IREE's.
Result<IreeCompiler> ask_compiler(const Machine& machine, const std::string& tool);

// The backends that compile for a device with these flags, as the compiler names them; empty when
// the flags do not say in a way that is known here.
std::vector<std::string> needed_backends(const std::vector<std::string>& flags);

// What the compiler makes of flags that name a CPU.
struct ResolvedCpu {
  std::string cpu;
  std::vector<std::string> features;  // those that are on, sorted
};

// Fails when the compiler takes these flags for no CPU.
Result<ResolvedCpu> resolve_cpu(const Machine& machine, const IreeCompiler& compiler,
                                const std::vector<std::string>& flags);

}  // namespace assay
