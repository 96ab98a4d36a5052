#include "verify/native_libraries.h"

namespace assay {

Result<NativeBuild> make_library(const NativeJob& job, const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries) {
  std::string why_not;
  if (auto found = libraries.find(job, why_not)) return std::move(*found);
  ASSAY_ASSIGN(NativeBuild build,
               build_native(job, tools.native_compiler, tools.build_limits, children));
  build.record.reuse = why_not;
  if (build.record.status == StageStatus::ok) ASSAY_TRY(libraries.keep(job, build));
  return build;
}

}  // namespace assay
