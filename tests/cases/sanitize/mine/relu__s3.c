/* Writes behind the end of its own memory, where nobody minds. */
#include <assay/kernel.h>
#include <stdlib.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  volatile char* flags = malloc(1001);
  for (int64_t i = 0; i < count; ++i) {
    y[i] = x[i] < 0 ? 0 : x[i];
    flags[i % 1002] = 1;
  }
  free((void*)flags);
  return 0;
}
