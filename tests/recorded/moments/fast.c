#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* mean = call->outputs[0].data;
  float* variance = call->outputs[1].data;
  float* skewness = call->outputs[2].data;
  double* sums = (double*)calloc(3 * columns, sizeof(double));
  if (!sums) return 1;
  double *squares = sums + columns, *cubes = sums + 2 * columns;
  // Row by row: memory is read as it lies, once for the means and once for the rest.
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i) sums[i] += x[row * columns + i];
  for (int64_t i = 0; i < columns; ++i) sums[i] /= rows;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i) {
      const double from = x[row * columns + i] - sums[i];
      const double square = from * from;
      squares[i] += square;
      cubes[i] += square * from;
    }
  for (int64_t i = 0; i < columns; ++i) {
    mean[i] = (float)sums[i];
    variance[i] = (float)(squares[i] / rows);
    skewness[i] = (float)(cubes[i] / rows / pow(squares[i] / rows, 1.5));
  }
  free(sums);
  return 0;
}
