#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static void change(Result<T>& c) {
    T& middle = c.values[(c.m / 2) * c.n + c.n / 2];
    middle += middle / 1000;
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
