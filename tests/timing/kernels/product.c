/* A product by blocks of rows. What is done, and nothing else, follows from VISITS: each visit
   computes one of BLOCKS blocks, and with more visits than blocks the first ones again, to the same
   values. 105 visits are 5 % more work than 100 by construction.

   Lines with a percent sign are where variants differ: ../README.md. */
#include <assay/kernel.h>

#define BLOCKS 100
#define VISITS 100
//% names multiply, line, factors, sums, inner, columns
//% functions

__attribute__((noinline)) static void multiply(const float* line, const float* factors, float* sums,
                                               int64_t inner, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) sums[j] = 0;
  for (int64_t k = 0; k < inner; ++k) {
    const float factor = line[k];
    const float* row = factors + k * columns;
    for (int64_t j = 0; j < columns; ++j) sums[j] += factor * row[j];
  }
}

//% functions
int assay_kernel(const assay_call* call) {
  //% shuffled
  const assay_tensor* x = &call->inputs[0];
  const assay_tensor* w = &call->inputs[1];
  const assay_tensor* y = &call->outputs[0];
  //% end
  //% checks
  //% shuffled
  const int64_t rows = x->shape[0] / BLOCKS;
  const int64_t inner = x->shape[1];
  const int64_t columns = w->shape[1];
  //% end
  //% checks
  for (int64_t visit = 0; visit < VISITS; ++visit) {
    const int64_t begin = visit % BLOCKS * rows;
    for (int64_t i = begin; i < begin + rows; ++i)
      multiply((const float*)x->data + i * inner, w->data, (float*)y->data + i * columns, inner,
               columns);
  }
  return 0;
}
//% functions
