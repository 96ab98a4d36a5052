#pragma once

#include <string>

#include "base/status.h"
#include "model/attempt.h"
#include "sandbox/memory_file.h"
#include "sandbox/spawner.h"

namespace assay {

// One drawing of a model's parameters: the job for a worker of the image "export", and the archive
// it writes. The protocol is that of python/assay_worker/weights.py.
struct WeightsJob {
  Job job;
  UniqueFd source;
  UniqueFd archive;
};

// Every run draws with this seed, as KernelBench's own scripts do; exports too, since a program has
// values in it that were drawn while its model was built.
inline constexpr int kWeightsSeed = 42;

Result<WeightsJob> make_weights_job(const std::string& path, std::string_view source,
                                    const std::string& mode, Precision precision);

// What a worker that ended well says: the record, and with status ok the archive's bytes, which
// stay in the job's memory file.
struct WeightsAnswer {
  StageRecord record;
  std::optional<MappedFile> archive;
};
Result<WeightsAnswer> read_weights_answer(const WeightsJob& job, const Json& message);

}  // namespace assay
