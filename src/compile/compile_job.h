// One compile job: a program through several targets in one worker of the compiler image.
//
// job      {"job": "compile", "phases": true, "dispatch": true, "threads": false,
//           "targets": [{"flags": [...], "library": "", "lowerings": false}, ...],
//           "code": tools (code_facts.h), "retry": {"when": "part of a message", "flags": [...]}}
//          descriptors: the program's MLIR, then one empty memory file per target
// answers  one per target, in order: {"index": i, "ok": {"files": [{"name", "bytes"}, ...],
//          "dispatches": n, "transient_bytes": n, "retried": true, "dispatch": {...} or why not,
//          "lowerings": [...], "shared_bytes": n, "code": [...]}, "counting_ns": n}, or
//          {"index": i, "failed": {class, error, detail}}, or
//          {"index": i, "not_judged": "what kept us from compiling"}; the last is final
//
// A target's memory file holds its files one after the other: the artifact, and with "phases" what
// the program looked like after each phase of the compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/places.h"
#include "base/status.h"
#include "compile/code_facts.h"
#include "model/attempt.h"
#include "sandbox/ending.h"
#include "sandbox/spawner.h"
#include "sandbox/wire.h"
#include "target/target.h"

namespace assay {

// More targets than this go to several jobs: each needs a descriptor.
inline constexpr size_t kMaxTargetsPerJob = wire::kMaxDescriptors - 1;
// And where their libraries together are longer than this: a job is one frame.
inline constexpr size_t kMaxLibrariesPerJob = 32 << 10;

// Part of every compile's key: raised when the same answer of a compiler is judged otherwise, or
// the same job compiled otherwise.
inline constexpr int kCompileJobVersion = 4;

// What a worker prints after each target.
inline constexpr char kTargetEnd = '\x1e';

// What a program is compiled with for one target.
struct CompileWith {
  std::vector<std::string> flags;
  std::optional<Tuning> tuning{};
};

struct CompileJob {
  Job job;
  UniqueFd mlir;
  std::vector<UniqueFd> results;  // one per target
  std::vector<CompileWith> with;  // likewise
  bool threads = true;
  std::string printed;  // by the worker, so far
};

struct CompileOptions {
  bool phases = false;    // keep the phases of each target
  bool dispatch = false;  // say what a program's one call is, or why it is none
  // Say what the code takes of a machine, by these tools.
  std::optional<CodeTools> code{};
  bool threads = true;  // compile the parts of one program side by side; the bytes are the same
};

// `with` has one for each target.
Result<CompileJob> make_compile_job(std::string_view mlir, std::vector<CompileWith> with,
                                    CompileOptions options);

struct CompiledFile {
  std::string name;  // "artifact.vmfb", "compilation_phases/module.1.input.mlir"
  std::string bytes;
};

// What one answer says: which target, the record of its stage with the flags that were used in the
// end, and, with status ok, the files, the artifact first.
struct CompileAnswer {
  size_t index = 0;
  StageRecord record;
  std::vector<CompiledFile> files;
};

// Reads one answer and takes the files over. Checks that the artifact is whole. `printed` is what
// the worker printed since its last message: a linker speaks there, and not in the answer.
Result<CompileAnswer> read_compile_answer(CompileJob& job, const Json& message,
                                          std::string_view printed = "");

// The record of the target that a worker ended on without an answer. `fresh`: it was the worker's
// first; otherwise the ending's costs are those of others, too, and left out.
StageRecord read_compile_end(const Ending& ending, bool fresh);

// Why nothing was compiled, where that is so: no finding about the program.
inline constexpr const char* kDiskIsFull = "a disk is full: the compiler could not write its files";

// The compiler image: the program beside assay, with the library it loads or the tool it starts.
Image compiler_image(const Places& places, CompilerKind kind, const std::string& path);

}  // namespace assay
