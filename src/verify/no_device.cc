#include "verify/no_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/gpu_code.h"
#include "run/outcome.h"

namespace assay {
namespace {

// Libraries of the toolkit that a machine may have without the others.
constexpr std::string_view kToolkitLibraries[] = {
    "cublas",   "cublasLt", "cudnn",   "cufft",      "cufftw", "curand",   "cusolver",
    "cusparse", "nccl",     "nvrtc",   "nvToolsExt", "cudart", "c10_cuda", "torch_cuda",
    "amdhip64", "hiprtc",   "hipblas", "rocblas",    "MIOpen", "c10_hip",  "torch_hip"};

// Headers by their names, and folders of them. A candidate's own may begin with the same letters.
constexpr std::string_view kToolkitHeaders[] = {"cuda.h",
                                                "cuda_runtime.h",
                                                "cuda_runtime_api.h",
                                                "cuda_fp16.h",
                                                "cuda_fp8.h",
                                                "cuda_bf16.h",
                                                "cooperative_groups.h",
                                                "device_launch_parameters.h",
                                                "cublas_v2.h",
                                                "cublasLt.h",
                                                "cudnn.h",
                                                "cufft.h",
                                                "curand.h",
                                                "nvrtc.h",
                                                "curand_kernel.h",
                                                "cusolverDn.h",
                                                "cusparse.h",
                                                "nccl.h",
                                                "nvToolsExt.h",
                                                "mma.h",
                                                "hipblas.h",
                                                "rocblas.h",
                                                "hip_runtime.h"};
constexpr std::string_view kToolkitFolders[] = {
    "cub/",      "thrust/",  "cutlass/", "cute/", "cuda/",    "hip/",       "hipblas/", "hipcub/",
    "c10/cuda/", "c10/hip/", "rocblas/", "rccl/", "rocwmma/", "ATen/cuda/", "ATen/hip/"};

// The line of what a compiler printed that has this in it; "": none has.
std::string_view line_with(std::string_view printed, std::string_view part) {
  const size_t at = printed.find(part);
  if (at == std::string_view::npos) return "";
  const size_t before = printed.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return printed.substr(begin, printed.find('\n', at) - begin);
}

template <class List>
bool is_one_of(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

// What a candidate needs: the rule that is said, and what to do.
struct Need {
  std::string_view rule, what, advice;
};

constexpr Need kNeedsTriton{"needs gpu", "its kernels are in Triton",
                            "--on a100 compiles them, and --on mi300x does for AMD"};
constexpr Need kNeedsCuda{"needs cuda", "it is in CUDA", "--on a100 compiles it"};
constexpr Need kNeedsHip{"needs hip", "it is in HIP", "--on mi300x compiles it"};
constexpr Need kNeedsCudaOfTorch{
    "needs cuda", "it is an extension of PyTorch in CUDA",
    "--on a100 compiles it, as an argument of load_inline() in a file NAME.py"};
constexpr Need kNeedsHipOfTorch{"needs hip", "it is an extension of PyTorch in HIP",
                                "--on mi300x compiles kernels in Triton, and files NAME.hip"};
// There is nothing in it to compile for one.
constexpr Need kNeedsDevice{"needs cuda", "it asks for a GPU",
                            "run it where one is, or leave the device out of it"};

// Its headers, or a source of an extension of PyTorch.
bool names_hip(std::string_view text) {
  return text.contains("hip/hip_") || text.contains(".hip\"") || text.contains(".hip'");
}

// What a compiler says of something else is the candidate's fault, whatever it names.
bool is_about_hip(std::string_view printed) {
  constexpr std::string_view kOfHip[] = {"/hip/",    "hip_",      "__HIP", "__global__",
                                         "blockIdx", "threadIdx", "<<<"};
  return std::ranges::any_of(kOfHip, [&](std::string_view each) { return printed.contains(each); });
}

const Need& need_of(const VerifyJob& job) {
  const std::string_view text = job.candidate;
  const GpuCode code = gpu_code_of(*job.form, text);
  const bool is_hip = code.hip || names_hip(text);
  if (job.form->is_model()) {
    if (is_hip) return kNeedsHipOfTorch;
    return code.extension ? kNeedsCuda : code.triton ? kNeedsTriton : kNeedsDevice;
  }
  if (is_of_torch(text)) return is_hip ? kNeedsHipOfTorch : kNeedsCudaOfTorch;
  return is_hip ? kNeedsHip : kNeedsCuda;
}

StageRecord needs(Stage stage, const Need& need, std::string_view seen) {
  StageRecord record =
      not_judged_stage(stage, fmt::format("{}, and it is called on the CPU here: {}{}{}", need.what,
                                          need.advice, seen.empty() ? "" : "; ", seen));
  record.rule = need.rule;
  return record;
}

}  // namespace

std::string missing_of_toolkit(std::string_view printed) {
  const std::string_view line = line_with(printed, ": No such file or directory");
  if (!line.empty()) {
    std::string_view header = line.substr(0, line.find(": No such file"));
    header.remove_prefix(header.rfind(' ') + 1);
    const bool is_in_folder = std::ranges::any_of(
        kToolkitFolders, [&](std::string_view folder) { return header.starts_with(folder); });
    // Torch's own headers for devices are whole only in a torch for devices.
    const bool is_torchs = line.contains("/torch/include/");
    if (is_torchs || is_in_folder || is_one_of(kToolkitHeaders, header)) return std::string(header);
  }
  const std::string_view mark = "cannot find -l";
  std::string_view library = line_with(printed, mark);
  library.remove_prefix(library.empty() ? 0 : library.find(mark) + mark.size());
  library = library.substr(0, library.find_first_of(": \t"));
  return is_one_of(kToolkitLibraries, library) ? "lib" + std::string(library) : "";
}

bool is_of_torch(std::string_view source) {
  if (source.contains("assay_kernel")) return false;
  return source.contains("torch/extension.h") || source.contains("torch/all.h") ||
         source.contains("PYBIND11_MODULE") || source.contains("TORCH_LIBRARY");
}

Step<void> check_is_for_cpu(const VerifyJob& job) {
  if (!job.form->gpu || job.on_card) return {};
  return std::unexpected(Stop(needs(Stage::verify, need_of(job), "")));
}

void leave_to_devices(const VerifyJob& job, bool has_run, StageRecord& record) {
  if (record.status != StageStatus::failed || has_run) return;
  bool is_for_want = record.evidence.is_object() && record.evidence.contains(kNotHere);
  // Where HIP's headers are installed, the host's compiler stumbles in them, or over kernels.
  const bool is_in_hip =
      !job.gpu && !job.on_card && names_hip(job.candidate) && is_about_hip(record.detail);
  if (record.failure == FailureClass::build)
    is_for_want |= is_in_hip || !missing_of_toolkit(record.detail).empty();
  if (!is_for_want) return;
  StageRecord needed = needs(record.stage, need_of(job), record.error);
  needed.detail = std::move(record.detail);
  needed.wall_ns = record.wall_ns;
  needed.began_us = record.began_us;
  needed.cpu_ns = record.cpu_ns;
  needed.peak_bytes = record.peak_bytes;
  record = std::move(needed);
}

}  // namespace assay
