#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static T dot(const T* a, const T* b, int64_t k) {
    int64_t half = k / 2;
    return in_lanes(a, b, half) + in_lanes(a + half, b + half, k - half);
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
