#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  const float* x = call->inputs[0].data;
  float* mean = call->outputs[0].data;
  float* variance = call->outputs[1].data;
  float* skewness = call->outputs[2].data;
  // Column by column, as it is written down.
  for (int64_t column = 0; column < columns; ++column) {
    double sum = 0, squares = 0, cubes = 0;
    for (int64_t row = 0; row < rows; ++row) sum += x[row * columns + column];
    const double centre = sum / rows;
    for (int64_t row = 0; row < rows; ++row) {
      const double from = x[row * columns + column] - centre;
      squares += from * from;
      cubes += from * from * from;
    }
    mean[column] = (float)centre;
    variance[column] = (float)(squares / rows);
    skewness[column] = (float)(cubes / rows / pow(squares / rows, 1.5));
  }
  return 0;
}
