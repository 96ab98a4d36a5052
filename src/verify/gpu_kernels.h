// What a runner says of a call in which a candidate's kernels were compiled for a GPU and not run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "compile/compile_job.h"
#include "model/attempt.h"

namespace assay {

// All of it is the candidate's process's word: files are kept as they are, and run nowhere.
struct GpuKernels {
  // {"name", "launches", "warps", "shared_bytes"} each; "registers" and "spilled_bytes" of a thread
  // and, on AMD's GPUs, "scalar_registers" of a wave, where its compiler has said so.
  Json list = Json::array();
  bool narrow = false;              // there is one with bf16, or types of eight bits
  std::vector<CompiledFile> files;  // "kernels/NAME.ptx" and such
  std::string stopped;  // why the candidate's own code ended before its end; "": it did not
  // Where one does not compile, or the candidate's own code raised before the first: not ok.
  StageRecord record;
};

// One line of JSON, {"kernels": [{"name", "launches", "warps", "shared_bytes", "registers"?,
// "scalar_registers"?, "spilled_bytes"?, "narrow", "files": [{"name", "bytes"}]}], "stopped"?:
// text, "failed"?: {class, error, detail}, "unsupported"?: {reason}}, and behind it the files'
// bytes. Fails on anything else.
Result<GpuKernels> read_gpu_kernels(std::string_view written);

}  // namespace assay
