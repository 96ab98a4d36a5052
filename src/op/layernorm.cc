// Rows with a mean of 0 and a variance of 1, scaled and shifted; f16 and bf16 are worked out in
// f32.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_layernorm(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns");
  const Dtype dtype = arguments.dtype();
  const TensorSpec x{dtype, {rows, columns}, {}}, row{dtype, {columns}, {}};
  TorchOperation torch;
  torch.title = fmt::format("Layer normalisation of {} rows of {}.", rows, columns);
  torch.inputs = {{"x", x}, {"weight", row}, {"bias", row}};
  torch.outputs = {x};
  torch.forward =
      "return " +
      rounded(fmt::format("nn.functional.layer_norm({}, weight.shape, {}, {})", widened("x", dtype),
                          widened("weight", dtype), widened("bias", dtype)),
              dtype);
  torch.flops = 8.0 * static_cast<double>(x.elements());
  return torch_program(torch);
}

}  // namespace

Operation layernorm_operation() {
  return {.name = "layernorm",
          .title = "(x - mean) / sqrt(variance + eps) * weight + bias, of each row",
          .kind = "normalisation",
          .keys = {{"rows", "independent ones", {}, "1024"},
                   {"columns", "elements of a row", {}, "1024"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_layernorm};
}

}  // namespace assay
