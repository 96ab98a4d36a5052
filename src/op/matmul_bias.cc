// A linear layer with its activation.
#include <fmt/format.h>

#include "op/activation.h"
#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_matmul_bias(const OpArguments& arguments) {
  const int64_t m = arguments.number("m"), n = arguments.number("n"), k = arguments.number("k");
  const Dtype dtype = arguments.dtype();
  TorchOperation torch;
  torch.title = fmt::format("A product of {} x {} by {} x {}, a bias, and {}.", m, k, k, n,
                            arguments.word("activation"));
  torch.inputs = {
      {"a", {dtype, {m, k}, {}}}, {"b", {dtype, {k, n}, {}}}, {"bias", {dtype, {n}, {}}}};
  torch.outputs = {{dtype, {m, n}, {}}};
  torch.forward = "return " + torch_activation(arguments, "torch.matmul(a, b) + bias");
  torch.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return torch_program(torch);
}

}  // namespace

Operation matmul_bias_operation() {
  return {.name = "matmul_bias",
          .title = "activation(A B + bias)",
          .kind = "fusion",
          .keys = {{"m", "rows of A", {}, "256"},
                   {"n", "columns of B, elements of the bias", {}, "256"},
                   {"k", "columns of A, rows of B", {}, "256"},
                   activation_key(),
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_matmul_bias,
          .factors = {{0, 1}}};
}

}  // namespace assay
