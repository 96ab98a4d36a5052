#include "run/workload_job.h"

#include "sandbox/memory_file.h"

namespace assay {

Result<WorkloadJob> make_workload_job(const char* kind, const WorkloadInput& input,
                                      const char* result_name) {
  WorkloadJob result;
  ASSAY_ASSIGN(result.source, sealed_memory_file("workload", input.source));
  ASSAY_ASSIGN(result.result, empty_memory_file(result_name));
  result.job.body = Json{{"job", kind},
                         {"path", input.path},
                         {"mode", input.mode},
                         {"precision", to_word(kPrecisionWords, input.precision)},
                         {"seed", kSeed}};
  if (!input.weights.is_null()) result.job.body["weights"] = input.weights;
  result.job.descriptors = {result.source.get(), result.result.get()};
  return result;
}

}  // namespace assay
