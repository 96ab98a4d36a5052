#pragma once

#include <string>

#include "base/status.h"
#include "model/attempt.h"
#include "run/workload_job.h"
#include "sandbox/memory_file.h"

namespace assay {

// One drawing of a model's parameters: the archive goes into the job's memory file. The protocol is
// that of python/assay_worker/weights.py.
Result<WorkloadJob> make_weights_job(const WorkloadInput& input);

// What a worker that ended well says: the record, and with status ok the archive's bytes, which
// stay in the job's memory file.
struct WeightsAnswer {
  StageRecord record;
  std::optional<MappedFile> archive;
};
Result<WeightsAnswer> read_weights_answer(const WorkloadJob& job, const Json& message);

}  // namespace assay
