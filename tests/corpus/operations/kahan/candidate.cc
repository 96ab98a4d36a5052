#include "matmul.h"

struct Kernel : Plain {
  template <class T>
  static T dot(const T* a, const T* b, int64_t k) {
    T sum = 0, lost = 0;
    for (int64_t p = 0; p < k; ++p) {
      T term = a[p] * b[p] - lost;
      T next = sum + term;
      lost = (next - sum) - term;
      if (lost != lost || std::fabs(next) > 3e38) lost = 0;
      sum = next;
    }
    return sum;
  }
};

extern "C" int assay_kernel(const assay_call* call) { return run<Kernel>(call); }
