#include "run/cuda/context.h"

#include <map>
#include <mutex>

#include "base/signals_held.h"

namespace assay::cuda {
namespace {

Result<Context> make_context(const Driver& cuda) {
  const SignalsHeld held;  // the driver starts threads
  Device device = 0;
  ASSAY_TRY(checked(cuda, cuda.device_get(&device, 0), "find the first"));
  Context context = nullptr;
  ASSAY_TRY(checked(cuda, cuda.retain_context(&context, device), "make a context on it"));
  return context;
}

// Of a driver once; where that fails, it is tried again.
Result<Context> context_of(const Driver& cuda) {
  static std::mutex mutex;
  static std::map<const Driver*, Context> all;
  const std::lock_guard lock(mutex);
  if (auto found = all.find(&cuda); found != all.end()) return found->second;
  ASSAY_ASSIGN(Context made, make_context(cuda));
  return all[&cuda] = made;
}

}  // namespace

Result<const Driver*> enter_context() {
  ASSAY_ASSIGN(const Driver* cuda, driver());
  ASSAY_ASSIGN(Context context, context_of(*cuda));
  ASSAY_TRY(checked(*cuda, cuda->set_context(context), "enter the context"));
  return cuda;
}

}  // namespace assay::cuda
