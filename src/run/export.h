#pragma once

#include <string>

#include "base/status.h"
#include "model/attempt.h"
#include "run/workload_job.h"

namespace assay {

// One export: its program goes into the job's memory file. The protocol is that of
// python/assay_worker/export.py. `real_bytes` is the most that tensors with values may take while
// the model is built, where it can't be built without any; 0 for small ones only.
Result<WorkloadJob> make_export_job(const WorkloadInput& input, Route route = Route::torch,
                                    uint64_t real_bytes = 0);

// What the answer of a worker that ended well says: the record of its stage and, with status ok,
// the program. An answer that does not fit the program that was written is a failure of class
// `protocol`.
struct ExportAnswer {
  StageRecord record;
  std::string mlir;
  Json hub_files;  // a list of what it read, or looked for, of the Hugging Face hub; null: nothing
};
Result<ExportAnswer> read_export_answer(const WorkloadJob& job, const Json& message);

}  // namespace assay
