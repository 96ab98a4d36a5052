// Rows become columns.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_transpose(const OpArguments& arguments) {
  const int64_t b = arguments.number("b"), rows = arguments.number("rows"),
                columns = arguments.number("columns");
  const Dtype dtype = arguments.dtype();
  TorchOperation torch;
  torch.title = fmt::format("The transposes of {} matrices of {} x {}.", b, rows, columns);
  torch.inputs = {{"x", {dtype, {b, rows, columns}, {}}}};
  torch.outputs = {{dtype, {b, columns, rows}, {}}};
  torch.forward = "return x.mT.contiguous()";
  return torch_program(torch);
}

}  // namespace

Operation transpose_operation() {
  return {.name = "transpose",
          .title = "rows become columns",
          .kind = "movement",
          .keys = {{"b", "matrices", {}, "1"},
                   {"rows", "of each, before", {}, "1024"},
                   {"columns", "of each, before", {}, "1024"},
                   dtype_key({"f32", "f16", "bf16", "f64", "i32", "i8"})},
          .make = make_transpose};
}

}  // namespace assay
