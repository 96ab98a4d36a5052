#include "run/weights.h"

#include <utility>

#include "run/outcome.h"

namespace assay {

Result<WorkloadJob> make_weights_job(const WorkloadInput& input) {
  return make_workload_job("weights", input, "weights.irpa");
}

Result<WeightsAnswer> read_weights_answer(const WorkloadJob& job, const Json& message) {
  WeightsAnswer answer;
  answer.record = stage_from_answer(Stage::export_, message);
  if (answer.record.status != StageStatus::ok) return answer;
  JsonReader ok(answer.record.evidence, "the exporter's answer");
  int64_t claimed_bytes = ok.integer("archive_bytes");
  int64_t count = ok.integer("parameters");
  int64_t bytes = ok.integer("bytes");
  auto archive = MappedFile::map(job.result);
  if (archive && ok.status() && claimed_bytes > 0 &&
      static_cast<uint64_t>(claimed_bytes) == archive->bytes().size()) {
    answer.record.evidence = Json{{"seed", kSeed}, {"count", count}, {"bytes", bytes}};
    answer.archive.emplace(std::move(*archive));
    return answer;
  }
  answer.record = failed_stage(Stage::export_, FailureClass::protocol,
                               "its answer does not fit the weights that it drew");
  return answer;
}

}  // namespace assay
