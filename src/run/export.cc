#include "run/export.h"

#include "run/description.h"
#include "run/outcome.h"
#include "run/weights.h"
#include "sandbox/memory_file.h"

namespace assay {

Result<ExportJob> make_export_job(const std::string& path, std::string_view source,
                                  const std::string& mode, Precision precision,
                                  uint64_t real_bytes) {
  ExportJob result;
  ASSAY_ASSIGN(result.source, sealed_memory_file("workload", source));
  ASSAY_ASSIGN(result.mlir, empty_memory_file("kernel.mlir"));
  result.job.body = Json{{"job", "export"},
                         {"path", path},
                         {"mode", mode},
                         {"precision", to_word(kPrecisionWords, precision)},
                         {"real_bytes", real_bytes},
                         {"seed", kWeightsSeed}};
  result.job.descriptors = {result.source.get(), result.mlir.get()};
  return result;
}

Result<ExportAnswer> read_export_answer(const ExportJob& job, const Json& message) {
  ExportAnswer answer;
  answer.record = stage_from_answer(Stage::export_, message);
  if (answer.record.status != StageStatus::ok) return answer;
  JsonReader ok(answer.record.evidence, "the exporter's answer");
  int64_t claimed_bytes = ok.integer("mlir_bytes");
  auto described = read_description(answer.record.evidence);
  auto mlir = read_memory_file(job.mlir);
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
