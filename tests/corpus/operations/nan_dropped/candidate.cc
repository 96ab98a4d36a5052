#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static void change(Result<T>& c) {
    for (T& value : c.values)
      if (value != value) value = 0;
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
