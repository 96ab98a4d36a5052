#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };  // rows whose sums are in single precision

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* mean = call->outputs[0].data;
  float* variance = call->outputs[1].data;
  float* skewness = call->outputs[2].data;
  double* sums = (double*)calloc(3 * columns, sizeof(double));
  float* part = (float*)malloc(2 * columns * sizeof(float));
  if (!sums || !part) return 1;
  double *squares = sums + columns, *cubes = sums + 2 * columns;
  float* part_cubes = part + columns;
  // Row by row: memory is read as it lies, once for the means and once for the rest.
  for (int64_t begin = 0; begin < rows; begin += BLOCK) {
    const int64_t end = begin + BLOCK < rows ? begin + BLOCK : rows;
    memset(part, 0, columns * sizeof(float));
    for (int64_t row = begin; row < end; ++row)
      for (int64_t i = 0; i < columns; ++i) part[i] += x[row * columns + i];
    for (int64_t i = 0; i < columns; ++i) sums[i] += part[i];
  }
  for (int64_t i = 0; i < columns; ++i) mean[i] = (float)(sums[i] / rows);
  for (int64_t begin = 0; begin < rows; begin += BLOCK) {
    const int64_t end = begin + BLOCK < rows ? begin + BLOCK : rows;
    memset(part, 0, 2 * columns * sizeof(float));
    for (int64_t row = begin; row < end; ++row)
      for (int64_t i = 0; i < columns; ++i) {
        const float from = x[row * columns + i] - mean[i];
        const float square = from * from;
        part[i] += square;
        part_cubes[i] += square * from;
      }
    for (int64_t i = 0; i < columns; ++i) {
      squares[i] += part[i];
      cubes[i] += part_cubes[i];
    }
  }
  for (int64_t i = 0; i < columns; ++i) {
    variance[i] = (float)(squares[i] / rows);
    skewness[i] = (float)(cubes[i] / rows) / powf(variance[i], 1.5f);
  }
  free(sums);
  free(part);
  return 0;
}
