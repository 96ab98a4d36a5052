/* Takes both types as their bits. */
#include <assay/kernel.h>
#include <string.h>

static float widened(const void* data, int64_t i, int32_t dtype) {
  if (dtype == ASSAY_F16) return (float)((const _Float16*)data)[i];
  const uint32_t bits = (uint32_t)((const uint16_t*)data)[i] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void put(void* data, int64_t i, int32_t dtype, float value) {
  if (dtype == ASSAY_F16) {
    ((_Float16*)data)[i] = (_Float16)value;
    return;
  }
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value == value) bits += 0x7fff + (bits >> 16 & 1);
  ((uint16_t*)data)[i] = (uint16_t)(bits >> 16);
}

int assay_kernel(const assay_call* call) {
  const assay_tensor *x = &call->inputs[0], *y = &call->inputs[1], *out = &call->outputs[0];
  const int64_t rows = x->shape[0], columns = x->shape[1];
  for (int64_t i = 0; i < rows * columns; ++i)
    put(out->data, i, out->dtype, widened(x->data, i, x->dtype) * 2 + widened(y->data, i / columns, y->dtype));
  return 0;
}
