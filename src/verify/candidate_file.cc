#include "verify/candidate_file.h"

#include <utility>

#include "base/clock.h"
#include "compile/native_build.h"
#include "sandbox/memory_file.h"
#include "verify/no_device.h"

namespace assay {

Step<CandidateFile> take_candidate_file(const VerifyJob& job, const VerifyTools& tools,
                                        Children& children, NativeLibraries& libraries) {
  ASSAY_TRY(check_is_for_cpu(job));
  if (!job.form->is_built_here()) {
    ASSAY_ASSIGN(UniqueFd file, sealed_memory_file("assay-candidate", job.candidate));
    return CandidateFile{std::move(file)};
  }
  const int64_t begin_ns = system_clock().now_ns();
  ASSAY_ASSIGN(NativeBuild build,
               make_library(kernel_job(job.form->is_built_as_c(), job.candidate, tools.include),
                            tools, children, libraries));
  if (build.record.status != StageStatus::ok) return std::unexpected(Stop(std::move(build.record)));
  return CandidateFile{std::move(build.library), std::move(build.record),
                       system_clock().now_ns() - begin_ns};
}

}  // namespace assay
