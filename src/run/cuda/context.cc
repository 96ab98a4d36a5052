#include "run/cuda/context.h"

namespace assay::cuda {
namespace {

Result<Context> make_context() {
  ASSAY_ASSIGN(const Driver* cuda, driver());
  Device device = 0;
  ASSAY_TRY(checked(*cuda, cuda->device_get(&device, 0), "find the first"));
  Context context = nullptr;
  ASSAY_TRY(checked(*cuda, cuda->retain_context(&context, device), "make a context on it"));
  return context;
}

}  // namespace

Result<const Driver*> enter_context() {
  static const Result<Context> context = make_context();
  if (!context) return std::unexpected(context.error());
  ASSAY_ASSIGN(const Driver* cuda, driver());
  ASSAY_TRY(checked(*cuda, cuda->set_context(*context), "enter the context"));
  return cuda;
}

}  // namespace assay::cuda
