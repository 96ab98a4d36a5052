#include "compile/gpu_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/places.h"

namespace assay {
namespace {

// What torch has nvcc take: no conversions of half types that C++ would not do, and functions of
// the standard library that are constants, on the device, too.
constexpr const char* kTorchFlags[] = {"-D__CUDA_NO_HALF_OPERATORS__",
                                       "-D__CUDA_NO_HALF_CONVERSIONS__",
                                       "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
                                       "-D__CUDA_NO_HALF2_OPERATORS__", "--expt-relaxed-constexpr"};

// Where the makers' packages put a toolkit.
const char* usual_folder(GpuKind kind) {
  return kind == GpuKind::cuda ? "/usr/local/cuda" : "/opt/rocm";
}

std::string find_program_of(const Machine& machine, GpuKind kind) {
  const std::string name(gpu_compiler_name(kind));
  const bool is_cuda = kind == GpuKind::cuda;
  for (const char* variable :
       {is_cuda ? "CUDA_HOME" : "ROCM_PATH", is_cuda ? "CUDA_PATH" : "HIP_PATH"}) {
    const std::string folder = environment_variable(variable);
    if (folder.empty()) continue;
    std::string program = join_path(folder, "bin/" + name);
    if (machine.disk().exists(program)) return program;
  }
  if (std::string program = machine.find_program(name); !program.empty()) return program;
  std::string usual = join_path(usual_folder(kind), "bin/" + name);
  return machine.disk().exists(usual) ? usual : "";
}

// Without what says for which architectures, in either form: "-arch=sm_70", "-arch sm_70".
std::vector<std::string> without_architectures(const std::vector<std::string>& flags) {
  constexpr std::string_view kNames[] = {"-arch", "--gpu-architecture", "-gencode",
                                         "--generate-code", "--offload-arch"};
  std::vector<std::string> others;
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string name = flags[i].substr(0, flags[i].find('='));
    if (std::ranges::find(kNames, name) == std::end(kNames))
      others.push_back(flags[i]);
    else if (name == flags[i])
      ++i;  // and what follows it
  }
  return others;
}

// The compiler for this architecture, to a shared library.
std::vector<std::string> command(const Gpu& gpu, const GpuCompiler& compiler) {
  if (gpu.kind == GpuKind::cuda)
    // Flags that it does not know are the host compiler's, which it calls.
    return {compiler.program,
            "-arch=" + gpu.architecture,
            "--forward-unknown-to-host-compiler",
            "-O3",
            "-shared",
            "-fPIC"};
  return {compiler.program, "--offload-arch=" + gpu.architecture, "-O3", "-shared", "-fPIC"};
}

const char* source_name(GpuKind kind) { return kind == GpuKind::cuda ? "kernel.cu" : "kernel.hip"; }

}  // namespace

std::string_view gpu_compiler_name(GpuKind kind) {
  return kind == GpuKind::cuda ? "nvcc" : "hipcc";
}

std::optional<GpuCompiler> find_gpu_compiler(const Machine& machine, GpuKind kind) {
  std::string found = find_program_of(machine, kind);
  if (found.empty()) return std::nullopt;
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::canonical(found, failed);
  if (failed) return std::nullopt;
  GpuCompiler compiler{kind, program.string(), {}};
  // The toolkit's own folder, with bin/, lib/ and include/ in it. In the system's, of which a jail
  // shows what it may, the program is a script or a package's that looks there.
  std::filesystem::path folder = program.parent_path().parent_path();
  if (folder == "/usr" || folder == "/usr/local" || folder == "/")
    folder = machine.disk().exists(usual_folder(kind))
                 ? std::filesystem::canonical(usual_folder(kind), failed)
                 : "";
  if (!folder.empty()) compiler.reads.push_back(folder.string());
  // Distributions' hipcc is a script.
  if (kind == GpuKind::hip)
    compiler.reads.insert(compiler.reads.end(), {"/usr/share/perl", "/usr/share/perl5"});
  return compiler;
}

std::string no_gpu_compiler(GpuKind kind) {
  const bool is_cuda = kind == GpuKind::cuda;
  return fmt::format(
      "this machine has no {0}, which compiles {1}: it comes with the {2}; {3} names its folder",
      gpu_compiler_name(kind), is_cuda ? "CUDA" : "HIP", is_cuda ? "CUDA toolkit" : "ROCm toolkit",
      is_cuda ? "CUDA_HOME" : "ROCM_PATH");
}

NativeJob gpu_kernel_job(const Gpu& gpu, const GpuCompiler& compiler, std::string source,
                         const std::string& include) {
  NativeJob job{.compile = command(gpu, compiler),
                .files = {{source_name(gpu.kind), std::move(source)}},
                .sources = {source_name(gpu.kind)},
                .link = {}};
  job.compile.insert(job.compile.end(), {"-std=c++20", "-I" + include});
  return job;
}

NativeJob gpu_extension_job(const Gpu& gpu, const GpuCompiler& compiler, ExtensionRequest request) {
  NativeJob job{.compile = command(gpu, compiler),
                .files = std::move(request.files),
                .sources = std::move(request.sources),
                .link = std::move(request.link_flags)};
  job.compile.insert(job.compile.end(), std::begin(kTorchFlags), std::end(kTorchFlags));
  job.compile.insert(job.compile.end(), request.compile_flags.begin(), request.compile_flags.end());
  for (std::string& flag : without_architectures(request.device_flags))
    job.compile.push_back(std::move(flag));
  return job;
}

NativeJob gpu_probe_job(const Gpu& gpu, const GpuCompiler& compiler) {
  const char* header =
      gpu.kind == GpuKind::cuda ? "#include <cuda_runtime.h>" : "#include <hip/hip_runtime.h>";
  return {
      .compile = command(gpu, compiler),
      .files = {{source_name(gpu.kind), fmt::format("{}\n__global__ void probe() {{}}\n", header)}},
      .sources = {source_name(gpu.kind)},
      .link = {}};
}

}  // namespace assay
