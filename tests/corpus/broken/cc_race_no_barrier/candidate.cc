#include <assay/kernel.h>
#include <omp.h>

#include <cstddef>
#include <vector>

int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t rows = call->inputs[0].shape[0], columns = call->inputs[0].shape[1];
  std::vector<float> parts(static_cast<std::size_t>(call->threads));
#pragma omp parallel num_threads(call->threads)
  {
    const int me = omp_get_thread_num();
    for (int64_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (int64_t c = me; c < columns; c += call->threads) sum += x[r * columns + c];
      parts[static_cast<std::size_t>(me)] = sum;
      // A barrier is missing here, and another below.
      if (me == 0) {
        out[r] = 0;
        for (const float part : parts) out[r] += part;
      }
    }
  }
  return 0;
}
