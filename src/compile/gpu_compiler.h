// The compilers of GPUs' makers, where this machine has them: nvcc for CUDA, hipcc for HIP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/native_build.h"
#include "model/gpu.h"
#include "target/machine.h"

namespace assay {

struct GpuCompiler {
  GpuKind kind = GpuKind::cuda;
  std::string program;             // absolute, with links resolved: it looks around itself
  std::vector<std::string> reads;  // folders that a jail has to show it
};

// "nvcc", "hipcc".
std::string_view gpu_compiler_name(GpuKind kind);

// In the toolkit's folder, where its variables say that (CUDA_HOME, CUDA_PATH; ROCM_PATH,
// HIP_PATH), else on the PATH, else where packages put it.
std::optional<GpuCompiler> find_gpu_compiler(const Machine& machine, GpuKind kind);

// What a machine without one would have to do about it.
std::string no_gpu_compiler(GpuKind kind);

// Of a candidate that is one file and exports assay_kernel. `include` holds assay/kernel.h.
NativeJob gpu_kernel_job(const Gpu& gpu, const GpuCompiler& compiler, std::string source,
                         const std::string& include);
// Of an extension with sources for the device.
NativeJob gpu_extension_job(const Gpu& gpu, const GpuCompiler& compiler, ExtensionRequest request);
// Of nothing: whether the compiler knows the architecture at all.
NativeJob gpu_probe_job(const Gpu& gpu, const GpuCompiler& compiler);

}  // namespace assay
