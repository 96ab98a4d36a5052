#include "verify/gpu_build.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

#include "run/outcome.h"

namespace assay {
namespace {

// Headers of torch that only its builds for the device have whole, as includes name them.
constexpr std::string_view kDeviceHeaders[] = {"c10/cuda/", "ATen/cuda/", "c10/hip/", "ATen/hip/"};

// Of "fatal error: c10/cuda/impl/cuda_cmake_macros.h: No such file or directory": the header, where
// it is torch's for the device.
std::string missing_device_header(std::string_view error) {
  if (error.find("No such file") == std::string_view::npos) return "";
  for (std::string_view folder : kDeviceHeaders)
    if (size_t begin = error.find(folder); begin != std::string_view::npos)
      return std::string(error.substr(begin, error.find_first_of(": \n", begin) - begin));
  return "";
}

Result<NativeBuild> make(const Gpu& gpu,
                         const std::function<NativeJob(const GpuCompiler&)>& job_with,
                         const VerifyTools& tools, Children& children, NativeLibraries& libraries) {
  NativeBuild build;
  auto cannot = [&](std::string why) {
    build.record = not_judged_stage(Stage::compile, std::move(why));
    return std::move(build);
  };
  const GpuCompiler* compiler = gpu_compiler(tools, gpu.kind);
  if (!compiler) return cannot(no_gpu_compiler(gpu.kind));
  ASSAY_ASSIGN(build, make_library(job_with(*compiler), tools, children, libraries));
  if (build.record.failure != FailureClass::build) return build;
  if (std::string header = missing_device_header(build.record.error); !header.empty())
    return cannot(
        fmt::format("the torch of this machine is not built for this device: its {} "
                    "is not whole",
                    header));
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
        return gpu_kernel_job(gpu, compiler, source, tools.include);
      },
      tools, children, libraries);
}

Result<NativeBuild> make_for_gpu(const Gpu& gpu, const ExtensionRequest& request,
                                 const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries) {
  return make(
      gpu, [&](const GpuCompiler& compiler) { return gpu_extension_job(gpu, compiler, request); },
      tools, children, libraries);
}

}  // namespace assay
