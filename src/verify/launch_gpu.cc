// Launches of candidates whose kernels are for a GPU that is not here.
#include "base/units.h"
#include "run/outcome.h"
#include "verify/launch.h"

namespace assay {
namespace {

// Of all kernels of one candidate, with their texts. Beyond it is no honest one.
constexpr uint64_t kMostKernelBytes = uint64_t{64} << 20;

}  // namespace

Step<void> Launch::prepare_for_gpu(CandidateJob& runner) {
  const Gpu& gpu = *context_.job.gpu;
  // Triton reads what it is to do when it is imported: in the images that have it, it is too late.
  runner.image = runner_image(context_.tools, context_.job.form->runner());
  runner.sheet["gpu"] = {
      {"compile", setting_.gpu == OnGpu::compile}, {"kind", to_word(kGpuKindWords, gpu.kind)},
      {"architecture", gpu.architecture},          {"warp_threads", gpu.warp_threads},
      {"shared_bytes", gpu.shared_bytes},          {"phases", context_.job.phases}};
  if (setting_.gpu != OnGpu::compile) return {};
  return give_file("assay-kernels", runner);
}

Step<GpuKernels> Launch::compile_kernels() {
  const int64_t limit_ns = call_limit_ns();
  ASSAY_ASSIGN(Window window, runner_->window(limit_ns));
  last_call_ = window;
  if (window.kind == Window::Kind::timed_out || window.kind == Window::Kind::ended)
    ASSAY_TRY(check_window(window, limit_ns));
  ASSAY_ASSIGN(printed_before_, end());
  auto not_read = [](const std::string& why) {
    return std::unexpected(Stop(failed_stage(Stage::compile, FailureClass::protocol, why)));
  };
  ASSAY_ASSIGN(const auto written, read_written(kMostKernelBytes));
  if (!written)
    return not_read("what it has compiled is larger than " + format_bytes(kMostKernelBytes));
  auto kernels = read_gpu_kernels(*written);
  if (!kernels) return not_read(kernels.error().message);
  return std::move(*kernels);
}

}  // namespace assay
