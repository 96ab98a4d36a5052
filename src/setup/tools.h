#pragma once

#include <map>
#include <string>

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "compile/code_facts.h"
#include "judge/judge.h"
#include "run/python.h"
#include "sandbox/spawner.h"
#include "target/machine.h"
#include "target/target.h"
#include "verify/tools.h"

namespace assay {

// A compiler of IREE, identified.
struct CompilerInUse {
  Image image{};
  std::string path{};      // its library or tool
  std::string version{};   // "" when nothing says
  std::string identity{};  // of the library's build
};

// What a run uses, and what identifies it: part of every fingerprint and cache key, so that another
// version computes again.
struct Tools {
  Image exporter;
  CompilerInUse compiler;                                  // --iree's, or the installed one
  std::map<std::string, CompilerInUse> other_compilers{};  // by what an author says where it is
  VerifyTools verify;
  JudgeSettings judge;
  std::string python_environment;  // hash of what is installed there
  std::string torch_version;
  std::string turbine_version;
  std::string importer_version;  // of the compiler's package that imports programs
  std::string worker_identity;   // hash of the worker's source
  CodeTools code{};              // what looks at compiled code
  std::string host_cpu;          // what "the host's CPU" means here

  const CompilerInUse& compiler_for(const Target& target) const {
    return target.compiler.empty() ? compiler : other_compilers.at(target.compiler);
  }
};

// The compiler in a build of the user's own: the file itself, or found where an installation, a
// build folder of IREE or a virtual environment has it.
Result<std::string> find_own_compiler(const Disk& disk, const std::string& iree, CompilerKind kind);

// Where targets are looked for: the user's own, then those shipped.
TargetCatalog target_catalog(const Disk& disk, const Places& places);

// What a run will use, identified. Fails with what to install when torch, turbine or the compiler
// is missing. `iree` is the user's own build, a file or a folder; "" for the installed one.
// `compiles`: something is compiled by IREE; otherwise torch alone has to be there.
Result<Tools> find_tools(const Disk& disk, const Places& places, const PythonDescription& python,
                         CompilerKind kind = CompilerKind::library, const std::string& iree = "",
                         bool compiles = true);

// The compiler in a build of the user's own, --iree's or an author's. Fails where there is none.
Result<CompilerInUse> find_compiler_at(const Disk& disk, const Places& places,
                                       const std::string& iree, CompilerKind kind);

// Programs that say what compiled code takes of a machine.
CodeTools find_code_tools(const Machine& machine, const PythonDescription& python);

// The machine and the compiler as a run's record describes them.
Json describe_machine(const Disk& disk, const PythonDescription& python, const Tools& tools);

}  // namespace assay
