#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static T dot(const T* a, const T* b, int64_t k) {
    T lanes[4] = {};
    for (int64_t p = 0; p < k; ++p) {
      T& lane = lanes[p % 4];
      lane = from_f16(to_f16(static_cast<float>(lane + a[p] * b[p])));
    }
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
