#pragma once

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "judge/judge.h"
#include "run/python.h"
#include "sandbox/spawner.h"
#include "target/target.h"
#include "verify/tools.h"

namespace assay {

// What a run uses, and what identifies it: part of every fingerprint and cache key, so that another
// version computes again.
struct Tools {
  Image exporter;
  Image compiler;
  VerifyTools verify;
  JudgeSettings judge;
  std::string python_environment;  // hash of what is installed there
  std::string torch_version;
  std::string turbine_version;
  std::string importer_version;   // of the compiler's package that imports programs
  std::string compiler_version;   // of what compiles them: --iree's; "" when nothing says
  std::string compiler_path;      // its library or tool
  std::string compiler_identity;  // of the library's build
  std::string worker_identity;    // hash of the worker's source
  std::string host_cpu;           // what "the host's CPU" means here
};

// Where targets are looked for: the user's own, then those shipped.
// The compiler in a build of the user's own: the file itself, or found where an installation or a
// build folder of IREE has it.
Result<std::string> find_own_compiler(const Disk& disk, const std::string& iree, CompilerKind kind);

TargetCatalog target_catalog(const Disk& disk, const Places& places);

// What a run will use, identified. Fails with what to install when torch, turbine or the compiler
// is missing. `iree` is the user's own build, a file or a folder; "" for the installed one.
// `compiles`: something is compiled by IREE; otherwise torch alone has to be there.
Result<Tools> find_tools(const Disk& disk, const Places& places, const PythonDescription& python,
                         CompilerKind kind = CompilerKind::library, const std::string& iree = "",
                         bool compiles = true);

// The machine and the compiler as a run's record describes them.
Json describe_machine(const Disk& disk, const PythonDescription& python, const Tools& tools);

}  // namespace assay
