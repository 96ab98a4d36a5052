#include <assay/kernel.h>
#include <stdlib.h>

/* The weight with its columns beside each other. */
static float* packed(const assay_call* call, int64_t depth, int64_t columns) {
  if (*call->kept) return *call->kept;
  const float* weight = call->constants[0].data;
  float* made = malloc((size_t)(depth * columns) * sizeof(float));
  if (!made) return 0;
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t k = 0; k < depth; ++k) made[k * columns + c] = weight[c * depth + k];
  }
  *call->kept = made;
  return made;
}

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  const float* bias = call->constants[1].data;
  float* out = call->outputs[0].data;
  const int64_t rows = call->inputs[0].shape[0], depth = call->inputs[0].shape[1];
  const int64_t columns = call->outputs[0].shape[1];
  const float* weight = packed(call, depth, columns);
  if (!weight) return 1;
  for (int64_t r = 0; r < rows; ++r) {
    float* row = out + r * columns;
    for (int64_t c = 0; c < columns; ++c) row[c] = bias[c];
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t c = 0; c < columns; ++c) row[c] += x[r * depth + k] * weight[k * columns + c];
    }
    for (int64_t c = 0; c < columns; ++c) row[c] = row[c] < 0 ? 0 : row[c];
  }
  return 0;
}
