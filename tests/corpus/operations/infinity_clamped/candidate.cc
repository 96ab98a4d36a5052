#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static void change(Result<T>& c) {
    for (T& value : c.values)
      if (std::isinf(static_cast<double>(value))) value = value > 0 ? T(3e38f) : T(-3e38f);
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
