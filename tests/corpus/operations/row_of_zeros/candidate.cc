#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static void change(Result<T>& c) {
    for (int64_t j = 0; j < c.n; ++j) c.values[(c.m / 3) * c.n + j] = 0;
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
