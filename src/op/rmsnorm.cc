// Rows with a mean square of 1, scaled; f16 and bf16 are worked out in f32.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_rmsnorm(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns");
  const Dtype dtype = arguments.dtype();
  const TensorSpec x{dtype, {rows, columns}, {}};
  TorchOperation torch;
  torch.title = fmt::format("RMS normalisation of {} rows of {}.", rows, columns);
  torch.inputs = {{"x", x}, {"weight", {dtype, {columns}, {}}}};
  torch.outputs = {x};
  torch.forward =
      "return " + rounded(fmt::format("nn.functional.rms_norm({}, weight.shape, {}, eps=1e-5)",
                                      widened("x", dtype), widened("weight", dtype)),
                          dtype);
  torch.flops = 4.0 * static_cast<double>(x.elements());
  return torch_program(torch);
}

}  // namespace

Operation rmsnorm_operation() {
  return {.name = "rmsnorm",
          .title = "x / sqrt(mean of x^2 + eps) * weight, of each row",
          .kind = "normalisation",
          .keys = {{"rows", "independent ones", {}, "1024"},
                   {"columns", "elements of a row", {}, "1024"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_rmsnorm};
}

}  // namespace assay
