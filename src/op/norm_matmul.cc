// What a transformer's layer begins with: rows are normalised, then multiplied by weights.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_norm_matmul(const OpArguments& arguments) {
  const int64_t m = arguments.number("m"), n = arguments.number("n"), k = arguments.number("k");
  const Dtype dtype = arguments.dtype();
  TorchOperation torch;
  torch.title = fmt::format("RMS normalisation of {} rows of {}, by {} x {}.", m, k, k, n);
  torch.inputs = {
      {"x", {dtype, {m, k}, {}}}, {"weight", {dtype, {k}, {}}}, {"b", {dtype, {k, n}, {}}}};
  torch.outputs = {{dtype, {m, n}, {}}};
  const std::string rows =
      rounded(fmt::format("nn.functional.rms_norm({}, weight.shape, {}, eps=1e-5)",
                          widened("x", dtype), widened("weight", dtype)),
              dtype);
  torch.forward = fmt::format("rows = {}\nreturn torch.matmul(rows, b)", rows);
  torch.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) +
                4.0 * static_cast<double>(m) * static_cast<double>(k);
  return torch_program(torch);
}

}  // namespace

Operation norm_matmul_operation() {
  return {.name = "norm_matmul",
          .title = "a matrix product of normalised rows",
          .kind = "fusion",
          .keys = {{"m", "rows of x", {}, "256"},
                   {"n", "columns of B", {}, "256"},
                   {"k", "columns of x, rows of B", {}, "256"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_norm_matmul,
          .factors = {{0, 2}}};
}

}  // namespace assay
