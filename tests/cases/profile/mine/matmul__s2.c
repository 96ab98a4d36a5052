#include <assay/kernel.h>

/* Crashes. */
int assay_kernel(const assay_call* call) {
  *(volatile int*)0 = call->threads;
  return 0;
}
