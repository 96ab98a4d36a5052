// Does not build with a sanitizer.
#include <assay/kernel.h>

#ifdef __SANITIZE_ADDRESS__
#error "not with me"
#endif

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  return 0;
}
