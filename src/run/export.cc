#include "run/export.h"

#include "run/description.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {

Result<WorkloadJob> make_export_job(const WorkloadInput& input, Route route, uint64_t real_bytes) {
  ASSAY_ASSIGN(WorkloadJob result, make_workload_job("export", input, "kernel.mlir"));
  result.job.body["route"] = to_word(kRouteWords, route);
  result.job.body["real_bytes"] = real_bytes;
  return result;
}

Result<ExportAnswer> read_export_answer(const WorkloadJob& job, const Json& message) {
  ExportAnswer answer;
  answer.record = stage_from_answer(Stage::export_, message);
  answer.hub_files = read_hub_files(message.contains("ok") ? message["ok"] : message);
  if (answer.record.status != StageStatus::ok) return answer;
  JsonReader ok(answer.record.evidence, "the exporter's answer");
  int64_t claimed_bytes = ok.integer("mlir_bytes");
  auto described = read_description(answer.record.evidence);
  auto mlir = read_memory_file(job.result);
  if (mlir && described && ok.status() && claimed_bytes > 0 &&
      static_cast<uint64_t>(claimed_bytes) == mlir->size()) {
    (*described)["mlir_bytes"] = claimed_bytes;
    answer.record.evidence = std::move(*described);
    answer.mlir = std::move(*mlir);
    return answer;
  }
  // The problem's own code runs in that process, and may have answered in the worker's place.
  answer.record = failed_stage(Stage::export_, FailureClass::protocol,
                               "its answer does not fit what it exported");
  return answer;
}

}  // namespace assay
