#include <assay/kernel.h>
#include <math.h>

enum { TILE = 64 };

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* values = call->outputs[0].data;
  int64_t* places = call->outputs[1].data;
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  for (int64_t r = 0; r < rows; ++r, x += columns, values += columns, places += columns) {
    int64_t carried = 0;
    for (int64_t from = 0; from < columns; from += TILE) {
      const int64_t to = from + TILE < columns ? from + TILE : columns;
      int64_t best = from;
      for (int64_t c = from; c < to; ++c) {
        if (isnan(x[c]) || x[c] >= x[best]) best = c;
        /* Of the tile's own maximum and of the carried one, the larger. */
        const int64_t larger = isnan(x[best]) || x[best] >= x[carried] ? best : carried;
        values[c] = x[larger];
        places[c] = larger;
      }
      carried = best;
    }
  }
  return 0;
}
