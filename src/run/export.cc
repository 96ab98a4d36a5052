#include "run/export.h"

#include "sandbox/memory_file.h"

namespace assay {

Result<ExportJob> make_export_job(const std::string& path, std::string_view source,
                                  const std::string& mode, Precision precision) {
  ExportJob result;
  ASSAY_ASSIGN(result.source, sealed_memory_file("workload", source));
  ASSAY_ASSIGN(result.mlir, empty_memory_file("kernel.mlir"));
  result.job.body = Json{{"job", "export"},
                         {"path", path},
                         {"mode", mode},
                         {"precision", to_word(kPrecisionWords, precision)}};
  result.job.descriptors = {result.source.get(), result.mlir.get()};
  return result;
}

}  // namespace assay
