// Threads of its own, without order between them and what it reads of theirs.
#include <assay/kernel.h>

#include <chrono>
#include <thread>

extern "C" int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  auto* y = static_cast<float*>(call->outputs[0].data);
  const int64_t count = call->inputs[0].shape[0] * call->inputs[0].shape[1];
  static int done;
  std::thread other([&] {
    for (int64_t i = 0; i < count / 2; ++i) y[i] = x[i] < 0 ? 0 : x[i];
    done = 1;
  });
  for (int64_t i = count / 2; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  const int seen = done;
  other.join();
  return seen > 1;
}
