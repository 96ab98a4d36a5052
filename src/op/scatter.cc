// Sums of the rows that have the same number; zeros where none has it. The table begins as zeros,
// and is no input: IREE's program would write into that.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_scatter(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns"),
                count = arguments.number("count");
  const Dtype dtype = arguments.dtype();
  const TensorSpec table{dtype, {rows, columns}, {}}, added{dtype, {count, columns}, {}};
  TorchOperation torch;
  torch.title =
      fmt::format("Sums of {} rows by their numbers, {} sums of {}.", count, rows, columns);
  torch.inputs = {{"index", {Dtype::i64, {count}, {}}, rows}, {"added", added}};
  torch.outputs = {table};
  torch.forward =
      fmt::format("return added.new_zeros({}, {}).index_add(0, index, added)", rows, columns);
  torch.flops = static_cast<double>(added.elements());
  return torch_program(torch);
}

}  // namespace

Operation scatter_operation() {
  return {.name = "scatter",
          .title = "sums of the rows that have the same number",
          .kind = "movement",
          .keys = {{"rows", "of the result: what numbers are below", {}, "1024"},
                   {"columns", "elements of a row", {}, "256"},
                   {"count", "rows that are summed", {}, "512"},
                   dtype_key({"f32", "f64"})},
          .make = make_scatter};
}

}  // namespace assay
