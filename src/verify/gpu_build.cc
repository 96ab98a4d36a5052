#include "verify/gpu_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "run/outcome.h"

namespace assay {
namespace {

// Libraries of the toolkit that a machine may have without the others.
constexpr std::string_view kToolkitLibraries[] = {
    "cublas",   "cublasLt", "cudnn", "cufft",      "cufftw", "curand",   "cusolver",
    "cusparse", "nccl",     "nvrtc", "nvToolsExt", "cudart", "c10_cuda", "torch_cuda"};

// The line of what a compiler printed that has this in it; "": none has.
std::string_view line_with(std::string_view printed, std::string_view part) {
  const size_t at = printed.find(part);
  if (at == std::string_view::npos) return "";
  const size_t before = printed.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return printed.substr(begin, printed.find('\n', at) - begin);
}

// What of torch's or the toolkit's this machine lacks, where that is why it does not build; "": it
// is not. Torch's own headers for devices are whole only in a torch for devices.
std::string missing_here(std::string_view printed) {
  const std::string_view header = line_with(printed, ": No such file or directory");
  if (header.contains("/torch/include/") || header.contains("c10/cuda/") ||
      header.contains("ATen/cuda/"))
    return std::string(header.substr(header.rfind(' ', header.find(": No such")) + 1));
  const std::string_view mark = "cannot find -l";
  std::string_view library = line_with(printed, mark);
  library.remove_prefix(library.empty() ? 0 : library.find(mark) + mark.size());
  library = library.substr(0, library.find_first_of(": \t"));
  const bool is_known =
      std::ranges::find(kToolkitLibraries, library) != std::end(kToolkitLibraries);
  return is_known ? "lib" + std::string(library) : "";
}

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
  if (std::string missing = missing_here(build.record.detail); !missing.empty())
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
