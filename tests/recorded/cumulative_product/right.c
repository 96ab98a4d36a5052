#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], length = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  double* products = (double*)malloc(rows * sizeof(double));
  if (!products) return 1;
  // Step by step, for all rows.
  for (int64_t i = 0; i < length; ++i)
    for (int64_t row = 0; row < rows; ++row) {
      products[row] = i == 0 ? x[row * length] : products[row] * x[row * length + i];
      y[row * length + i] = (float)products[row];
    }
  free(products);
  return 0;
}
