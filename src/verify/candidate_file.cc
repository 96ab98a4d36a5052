#include "verify/candidate_file.h"

#include <string>
#include <utility>

#include "base/clock.h"
#include "compile/native_build.h"
#include "sandbox/memory_file.h"
#include "verify/gpu_build.h"
#include "verify/no_device.h"

namespace assay {
namespace {

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

void name_source(std::string_view built_as, const std::string& path, StageRecord& record) {
  const std::string shown = path.substr(path.rfind('/') + 1);
  for (std::string* text : {&record.error, &record.detail})
    for (const char* behind : {":", "("})
      replace_all(*text, std::string(built_as) + behind, shown + behind);
}

namespace {

// A source in CUDA, for the card that is here.
Step<CandidateFile> built_for_card(const VerifyJob& job, const VerifyTools& tools,
                                   Children& children, NativeLibraries& libraries) {
  const int64_t begin_ns = system_clock().now_ns();
  ASSAY_ASSIGN(NativeBuild build,
               make_for_gpu(tools.card->gpu, job.candidate, tools, children, libraries));
  if (build.record.status != StageStatus::ok) {
    name_source("kernel.cu", job.candidate_path, build.record);
    return std::unexpected(Stop(std::move(build.record)));
  }
  return CandidateFile{std::move(build.library), std::move(build.record),
                       system_clock().now_ns() - begin_ns};
}

}  // namespace

Step<CandidateFile> take_candidate_file(const VerifyJob& job, const VerifyTools& tools,
                                        Children& children, NativeLibraries& libraries) {
  ASSAY_TRY(check_is_for_cpu(job));
  if (job.on_card && job.form->build == Form::Build::cuda)
    return built_for_card(job, tools, children, libraries);
  if (!job.form->is_built_here()) {
    ASSAY_ASSIGN(UniqueFd file, sealed_memory_file("assay-candidate", job.candidate));
    CandidateFile taken{std::move(file)};
    if (job.own_model == OwnModel::xla && !job.compiles_each) {
      ASSAY_ASSIGN(taken.left, empty_memory_file("assay-left"));
    }
    return taken;
  }
  const int64_t begin_ns = system_clock().now_ns();
  const NativeJob native =
      with_includes(kernel_job(job.form->is_built_as_c(), job.candidate, tools.include), tools);
  ASSAY_ASSIGN(NativeBuild build, make_library(native, tools, children, libraries));
  if (build.record.status != StageStatus::ok) {
    name_source(native.files.front().name, job.candidate_path, build.record);
    return std::unexpected(Stop(std::move(build.record)));
  }
  return CandidateFile{std::move(build.library), std::move(build.record),
                       system_clock().now_ns() - begin_ns};
}

}  // namespace assay
