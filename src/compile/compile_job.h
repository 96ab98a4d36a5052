// One compile job: a program through several targets in one worker of the compiler image.
//
// job      {"job": "compile", "targets": [{"flags": [...]}, ...]}
//          descriptors: the program's MLIR, then one empty memory file per target
// answers  one per target, in order: {"index": i, "ok": {"bytes": n}}, or
//          {"index": i, "failed": {class, error, detail}}, or
//          {"index": i, "bad_flags": "what the compiler says of them"}; the last is final
#pragma once

#include <string>
#include <vector>

#include "base/places.h"
#include "base/status.h"
#include "model/attempt.h"
#include "sandbox/spawner.h"
#include "sandbox/wire.h"

namespace assay {

// More targets than this go to several jobs: each needs a descriptor.
inline constexpr size_t kMaxTargetsPerJob = wire::kMaxDescriptors - 1;

struct CompileJob {
  Job job;
  UniqueFd mlir;
  std::vector<UniqueFd> artifacts;  // one per target
};

Result<CompileJob> make_compile_job(std::string_view mlir,
                                    const std::vector<std::vector<std::string>>& flags);

// What one answer says: which target, the record of its stage, and, with status ok, the artifact.
struct CompileAnswer {
  size_t index = 0;
  StageRecord record;
  std::string artifact;
};

// Reads one answer and takes the artifact over. Checks that the artifact is whole.
Result<CompileAnswer> read_compile_answer(const CompileJob& job, const Json& message);

// True when the bytes are a whole VM module: its two ends are where they must be.
bool is_whole_module(std::string_view bytes);

// The compiler image: the program beside assay, with the library it loads.
Image compiler_image(const Places& places, const std::string& library_path);

}  // namespace assay
