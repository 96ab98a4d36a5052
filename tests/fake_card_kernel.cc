// A native kernel for a card, which is simulated: y = 2 x + 1, queued on the stream that it is
// told.
#include <assay/kernel.h>
#include <dlfcn.h>

#include <cstdlib>

#include "simulated_cuda/simulated_cuda.h"

// In the place of a kernel's own <<<...>>>: the driver that the runner has opened launches it.
int assay_kernel(const assay_call* call) {
  void* driver = ::dlopen(std::getenv("ASSAY_CUDA_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr || call->stream == nullptr) return 1;
  const assay_tensor &x = call->inputs[0], &y = call->outputs[0];
  if (x.memory != ASSAY_DEVICE || y.memory != ASSAY_DEVICE) return 2;
  auto launch = reinterpret_cast<simulated::Launch>(::dlsym(driver, "simulated_cuda_launch"));
  return launch(call->stream, simulated::Kernel::compute, reinterpret_cast<uint64_t>(x.data),
                reinterpret_cast<uint64_t>(y.data), static_cast<uint64_t>(x.shape[0]), 0);
}
