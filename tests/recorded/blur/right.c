#include <assay/kernel.h>
#include <math.h>

int assay_kernel(const assay_call* call) {
  const int64_t* shape = call->inputs[0].shape;
  const int64_t planes = shape[0] * shape[1], height = shape[2], width = shape[3];
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const double taps[5] = {1.0 / 16.5, 4.5 / 16.5, 6.0 / 16.5, 4.0 / 16.5, 1.0 / 16.5};
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t row = 0; row < height; ++row)
      for (int64_t column = 0; column < width; ++column) {
        // All 25 neighbours of each element.
        double sum = 0;
        for (int down = 0; down < 5; ++down)
          for (int across = 0; across < 5; ++across) {
            const int64_t i = row + down - 2, j = column + across - 2;
            if (i < 0 || i >= height || j < 0 || j >= width) continue;
            sum += taps[down] * taps[across] * x[(plane * height + i) * width + j];
          }
        y[(plane * height + row) * width + column] = (float)sum;
      }
  return 0;
}
