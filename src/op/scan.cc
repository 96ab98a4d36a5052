// Running sums of each row. Those of f16 and bf16 are formed in f32, and rounded when they are
// done.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_scan(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns");
  const Dtype dtype = arguments.dtype();
  const TensorSpec x{dtype, {rows, columns}, {}};
  TorchOperation torch;
  torch.title = fmt::format("Running sums of {} rows of {}.", rows, columns);
  torch.inputs = {{"x", x}};
  torch.outputs = {x};
  torch.forward = bytes_of(dtype) == 2
                      ? "return torch.cumsum(x, dim=1, dtype=torch.float32).to(x.dtype)"
                      : "return torch.cumsum(x, dim=1)";
  torch.flops = static_cast<double>(x.elements());
  return torch_program(torch);
}

}  // namespace

Operation scan_operation() {
  return {.name = "scan",
          .title = "running sums of each row",
          .kind = "reduction",
          .keys = {{"rows", "independent ones", {}, "256"},
                   {"columns", "elements of a row", {}, "256"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_scan};
}

}  // namespace assay
