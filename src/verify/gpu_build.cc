#include "verify/gpu_build.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "run/outcome.h"
#include "verify/no_device.h"

namespace assay {
namespace {

Result<NativeBuild> make(const Gpu& gpu,
                         const std::function<NativeJob(const GpuCompiler&)>& job_with,
                         const VerifyTools& tools, Children& children, NativeLibraries& libraries) {
  NativeBuild build;
  auto cannot = [&](std::string why) {
    std::string detail = std::move(build.record.detail);
    build.record = not_judged_stage(Stage::compile, std::move(why));
    build.record.detail = std::move(detail);
    return std::move(build);
  };
  const GpuCompiler* compiler = gpu_compiler(tools, gpu.kind);
  if (!compiler) return cannot(no_gpu_compiler(gpu.kind));
  ASSAY_ASSIGN(build, make_library(job_with(*compiler), tools, children, libraries));
  if (build.record.failure != FailureClass::build) return build;
  if (std::string missing = missing_of_toolkit(build.record.detail); !missing.empty())
    return cannot("what it is built with is not whole on this machine: " + missing);
  // Is it the compiler that does not know the device?
  ASSAY_ASSIGN(NativeBuild probe,
               make_library(gpu_probe_job(gpu, *compiler), tools, children, libraries));
  if (probe.record.status == StageStatus::ok) return build;
  build = cannot(fmt::format("{} does not compile for {}: {}", compiler->program, gpu.architecture,
                             probe.record.error));
  build.record.detail = std::move(probe.record.detail);
  return build;
}

}  // namespace

Result<NativeBuild> make_for_gpu(const Gpu& gpu, const std::string& source,
                                 const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries) {
  return make(
      gpu,
      [&](const GpuCompiler& compiler) {
        return with_includes(gpu_kernel_job(gpu, compiler, source, tools.include), tools);
      },
      tools, children, libraries);
}

Result<NativeBuild> make_for_gpu(const Gpu& gpu, const ExtensionRequest& request,
                                 const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries) {
  return make(
      gpu,
      [&](const GpuCompiler& compiler) {
        return with_includes(gpu_extension_job(gpu, compiler, request), tools);
      },
      tools, children, libraries);
}

}  // namespace assay
