#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static T dot(const T* a, const T* b, int64_t k) {
    return in_lanes(a, b, k - 1);
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
