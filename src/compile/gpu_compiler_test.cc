#include "compile/gpu_compiler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fakes/fake_machine.h"

namespace assay {
namespace {

const Gpu kA100{GpuKind::cuda, "sm_80", 32, 166912};
const Gpu kMi300{GpuKind::hip, "gfx942", 64, 65536};
const GpuCompiler kNvcc{GpuKind::cuda, "/opt/cuda/bin/nvcc", {"/opt/cuda"}};
const GpuCompiler kHipcc{GpuKind::hip, "/usr/bin/hipcc", {}};

bool has(const std::vector<std::string>& flags, const std::string& flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

TEST(GpuCompiler, WithoutOneThereIsNone) {
  FakeMachine machine;
  EXPECT_FALSE(find_gpu_compiler(machine, GpuKind::cuda));
  EXPECT_TRUE(no_gpu_compiler(GpuKind::cuda).contains("nvcc"));
  EXPECT_TRUE(no_gpu_compiler(GpuKind::hip).contains("ROCM_PATH"));
}

TEST(GpuCompiler, OneOnThePathIsFoundWithItsFolder) {
  FakeMachine machine;
  machine.programs["nvcc"] = "/bin/sh";  // exists everywhere, and may be a link
  auto compiler = find_gpu_compiler(machine, GpuKind::cuda);
  ASSERT_TRUE(compiler);
  EXPECT_TRUE(compiler->program.starts_with("/"));
  EXPECT_TRUE(compiler->reads.empty()) << "what lies in /usr is shown in every jail";
}

TEST(GpuCompiler, KernelsAreCompiledForTheArchitecture) {
  NativeJob cuda = gpu_kernel_job(kA100, kNvcc, "code", "/include");
  EXPECT_EQ(cuda.compile[0], kNvcc.program);
  EXPECT_TRUE(has(cuda.compile, "-arch=sm_80"));
  EXPECT_TRUE(has(cuda.compile, "-I/include"));
  EXPECT_EQ(cuda.sources, std::vector<std::string>{"kernel.cu"});
  NativeJob hip = gpu_kernel_job(kMi300, kHipcc, "code", "/include");
  EXPECT_TRUE(has(hip.compile, "--offload-arch=gfx942"));
  EXPECT_EQ(hip.sources, std::vector<std::string>{"kernel.hip"});
}

TEST(GpuCompiler, AnExtensionsOwnArchitecturesAreNotTheTargets) {
  ExtensionRequest request;
  request.files = {{"cuda.cu", ""}};
  request.sources = {"cuda.cu"};
  request.compile_flags = {"-DTORCH_EXTENSION_NAME=x"};
  request.device_flags = {"-gencode=arch=compute_70,code=sm_70", "-arch=sm_70", "-gencode",
                          "arch=compute_75,code=sm_75", "--use_fast_math"};
  NativeJob job = gpu_extension_job(kA100, kNvcc, request);
  EXPECT_EQ(std::ranges::count_if(job.compile,
                                  [](const std::string& flag) { return flag.contains("sm_"); }),
            1);
  EXPECT_TRUE(has(job.compile, "--use_fast_math"));
  EXPECT_TRUE(has(job.compile, "-DTORCH_EXTENSION_NAME=x"));
}

}  // namespace
}  // namespace assay
