/* Locks: nothing is wrong with it. */
#include <assay/kernel.h>
#include <omp.h>

int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  int64_t positive = 0, nested = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel for
  for (int64_t i = 0; i < count; ++i) {
    y[i] = x[i] < 0 ? 0 : x[i];
    omp_set_lock(&lock);
    positive += x[i] > 0;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    if (omp_test_nest_lock(&nest)) {
      nested += 1;
      omp_unset_nest_lock(&nest);
    }
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  return positive <= count && nested <= count ? 0 : 1;
}
