#pragma once

#include <string>

#include "base/status.h"
#include "model/attempt.h"
#include "sandbox/spawner.h"

namespace assay {

// One export: the job for a worker of the image "export", and the memory it writes into.
// The protocol is that of python/assay_worker/export.py.
struct ExportJob {
  Job job;
  UniqueFd source;  // sealed: what was hashed is what is exported
  UniqueFd mlir;
};

// `real_bytes` is the most that tensors with values may take while the model is built, where it
// can't be built without any; 0 for small ones only. `path` is what the problem's code sees as its
// file name and what messages show; the bytes come from `source`. `mode` is "eval" or "train".
Result<ExportJob> make_export_job(const std::string& path, std::string_view source,
                                  const std::string& mode, Precision precision,
                                  uint64_t real_bytes = 0);

// What the answer of a worker that ended well says: the record of its stage and, with status ok,
// the program. An answer that does not fit the program that was written is a failure of class
// `protocol`.
struct ExportAnswer {
  StageRecord record;
  std::string mlir;
};
Result<ExportAnswer> read_export_answer(const ExportJob& job, const Json& message);

}  // namespace assay
