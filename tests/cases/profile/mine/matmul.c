#include <assay/kernel.h>

/* Writes ones, which is no product. */
int assay_kernel(const assay_call* call) {
  const assay_tensor* out = &call->outputs[0];
  const int64_t bytes = out->shape[0] * out->shape[1] * (out->dtype == ASSAY_F32 ? 4 : 2);
  for (int64_t i = 0; i < bytes; ++i) ((char*)out->data)[i] = 1;
  return 0;
}
