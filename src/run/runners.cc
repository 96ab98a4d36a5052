#include <algorithm>
#include <utility>

#include "base/rows.h"
#include "run/emulator.h"
#include "run/python.h"
#include "run/runner.h"

namespace assay {
namespace {

Image python_with(const RunnerSetting& setting, const std::string& role) {
  Image image = python_image(setting.python, setting.places, role);
  image.environment = setting.environment;
  return image;
}

Image image_of_python(const RunnerSetting& setting) { return python_with(setting, "candidate"); }

Image image_of_cuda(const RunnerSetting& setting) { return python_with(setting, "cuda"); }

Image image_of_inductor(const RunnerSetting& setting) {
  Image image = python_with(setting, "inductor");
  // Where it keeps its one compile before the first fork, and the header for those of candidates.
  image.environment.push_back("TORCHINDUCTOR_CACHE_DIR=" + setting.compile_cache);
  return image;
}

Image image_of_xla(const RunnerSetting& setting) { return python_with(setting, "xla"); }

Image image_of_suite(const RunnerSetting& setting) { return python_with(setting, "suite"); }

Image image_of_suite_compile(const RunnerSetting& setting) {
  return python_with(setting, "suite_compile");
}

Image image_of_iree(const RunnerSetting& setting) { return python_with(setting, "iree"); }

Image image_of_native(const RunnerSetting& setting) {
  return launched(setting, {setting.places.native_runner});
}

template <const Runner& (*kRunner)()>
const Emulator& played_by() {
  return *emulator_of(kRunner());
}

// Where the emulator is; where it is not, its name.
FoundEmulator found(const RunnerSetting& setting, const Emulator& emulator) {
  const auto at = setting.emulators.find(emulator.name);
  return at == setting.emulators.end() ? FoundEmulator{std::string(emulator.name), ""} : at->second;
}

// The native runner of another CPU, by whoever plays that.
template <const Runner& (*kRunner)()>
Image image_of_played_cpu(const RunnerSetting& setting) {
  const Emulator& emulator = played_by<kRunner>();
  const FoundEmulator here = found(setting, emulator);
  return launched(setting, {here.path, "-cpu", std::string(emulator.cpu->model), "-L",
                            std::string(emulator.cpu->libraries), here.runner});
}

// Of an emulator: what it is found by, where it is here, and what a played CPU reads.
template <const Runner& (*kRunner)()>
std::vector<std::string> reads_of_emulated(const RunnerSetting& setting) {
  const Emulator& emulator = played_by<kRunner>();
  if (!setting.emulators.contains(emulator.name)) return {};
  const FoundEmulator here = found(setting, emulator);
  if (!emulator.cpu) return {here.path};
  return {here.path, here.runner, std::string(emulator.cpu->libraries)};
}

// IREE's runtime, with one driver of Vulkan alone. A jail empties the environment, so the program
// is started with what that driver is told: one thread, and to keep nothing that it compiled.
Image image_of_lavapipe(const RunnerSetting& setting) {
  std::vector<std::string> program{
      "/usr/bin/env", "VK_DRIVER_FILES=" + found(setting, played_by<lavapipe_runner>()).path,
      "LP_NUM_THREADS=1", "MESA_SHADER_CACHE_DISABLE=true"};
  for (std::string& word : python_image(setting.python, setting.places, "iree_vulkan").argv)
    program.push_back(std::move(word));
  return launched(setting, std::move(program));
}

Device on_card() {
  return {.kind = std::string(kCudaDevice),
          .index = 0,
          .stream = StreamOrder::queued,
          .memory = MemoryKind::device};
}

std::vector<std::string> program_of_native(const RunnerSetting& setting) {
  return {setting.places.native_runner};
}

}  // namespace

const Runner& python_runner() {
  static const Runner runner{.name = "python",
                             .title = "torch, for candidates in Python",
                             .image = image_of_python,
                             .returns_own_tensors = true,
                             .is_in_python = true,
                             .is_forked = true,
                             .imports_packages = true,
                             .with_compiler = inductor_runner};
  return runner;
}

const Runner& inductor_runner() {
  static const Runner runner{.name = "inductor",
                             .title = "torch with its compiler loaded",
                             .image = image_of_inductor,
                             .returns_own_tensors = true,
                             .is_in_python = true,
                             .is_forked = true,
                             .imports_packages = true};
  return runner;
}

const Runner& xla_runner() {
  static const Runner runner{.name = "xla",
                             .title = "torch with JAX loaded, for what XLA compiles",
                             .image = image_of_xla,
                             .returns_own_tensors = true,
                             .is_in_python = true,
                             .is_forked = true,
                             .imports_packages = true,
                             .flushes_denormals = true};
  return runner;
}

const Runner& cuda_runner() {
  static const Runner runner{.name = "cuda",
                             .title = "torch, for candidates in Python on an NVIDIA GPU",
                             .image = image_of_cuda,
                             .device = on_card(),
                             .is_forked = true,
                             .imports_packages = true};
  return runner;
}

const Runner& iree_runner() {
  static const Runner runner{.name = "iree",
                             .title = "IREE's runtime, for what IREE compiled",
                             .image = image_of_iree,
                             .returns_own_tensors = true,
                             .is_in_python = true,
                             .is_forked = true,
                             .copies_inputs = true,
                             .flushes_denormals = true,
                             .may_decline = true,
                             .has_other_driver = true};
  return runner;
}

const Runner& native_runner() {
  static const Runner runner{.name = "native",
                             .title = "no Python: shared libraries that export assay_kernel",
                             .image = image_of_native,
                             .reads = program_of_native};
  return runner;
}

const Runner& native_cuda_runner() {
  // The same program: a jail shows it already.
  static const Runner runner{.name = "native-cuda",
                             .title = "no Python: shared libraries for an NVIDIA GPU",
                             .image = image_of_native,
                             .device = on_card()};
  return runner;
}

const Runner& suite_runner() {
  static const Runner runner{.name = "suite",
                             .title = "torch and Triton's interpreter, for kernels with tests",
                             .image = image_of_suite,
                             .is_in_python = true,
                             .is_forked = true};
  return runner;
}

const Runner& suite_compile_runner() {
  static const Runner runner{.name = "suite_compile",
                             .title = "torch and Triton's compiler, for kernels with tests",
                             .image = image_of_suite_compile,
                             .is_in_python = true,
                             .is_forked = true};
  return runner;
}

const Runner& direct_runner() {
  // The same program: a jail shows it already.
  static const Runner runner{.name = "direct",
                             .title = "no runtime: the one function of what IREE compiled",
                             .image = image_of_native,
                             .flushes_denormals = true,
                             .calls_function = true};
  return runner;
}

const Runner& emulated_aarch64_runner() {
  static const Runner runner{.name = "aarch64",
                             .title = "QEMU: one function of what IREE compiled for aarch64",
                             .image = image_of_played_cpu<emulated_aarch64_runner>,
                             .reads = reads_of_emulated<emulated_aarch64_runner>,
                             .flushes_denormals = true,
                             .may_decline = true,
                             .calls_function = true,
                             .is_emulated = true};
  return runner;
}

const Runner& emulated_riscv64_runner() {
  static const Runner runner{.name = "riscv64",
                             .title = "QEMU: one function of what IREE compiled for riscv64",
                             .image = image_of_played_cpu<emulated_riscv64_runner>,
                             .reads = reads_of_emulated<emulated_riscv64_runner>,
                             // IREE's own conversions to and from half types do.
                             .flushes_denormals = true,
                             .may_decline = true,
                             .calls_function = true,
                             .is_emulated = true};
  return runner;
}

const Runner& lavapipe_runner() {
  static const Runner runner{.name = "lavapipe",
                             .title = "IREE's runtime on lavapipe, for what it compiled for Vulkan",
                             .image = image_of_lavapipe,
                             .reads = reads_of_emulated<lavapipe_runner>,
                             .device = {.kind = std::string(kVulkanDevice)},
                             .returns_own_tensors = true,
                             .copies_inputs = true,
                             // Vulkan leaves it to the driver, and IREE asks for nothing else.
                             .flushes_denormals = true,
                             .may_decline = true,
                             .is_emulated = true};
  return runner;
}

std::span<const Runner* const> runners() {
  static const std::vector<const Runner*> all = with_added_rows<const Runner*>(
      {&python_runner(), &inductor_runner(), &xla_runner(), &cuda_runner(), &iree_runner(),
       &native_runner(), &native_cuda_runner(), &suite_runner(), &suite_compile_runner(),
       &direct_runner(), &emulated_aarch64_runner(), &emulated_riscv64_runner(),
       &lavapipe_runner()});
  return all;
}

Image launched(const RunnerSetting& setting, std::vector<std::string> program) {
  program.insert(program.begin(), setting.places.launcher);
  return Image{"launch", std::move(program), setting.environment};
}

RunnerImages runner_images(const RunnerSetting& setting) {
  RunnerImages images;
  for (const Runner* runner : runners()) images[runner->name] = runner->image(setting);
  return images;
}

std::vector<std::string> runner_reads(const RunnerSetting& setting) {
  std::vector<std::string> all;
  for (const Runner* runner : runners()) {
    if (!runner->reads) continue;
    for (std::string& path : runner->reads(setting)) all.push_back(std::move(path));
  }
  return all;
}

}  // namespace assay
