// Rows of a table, by their numbers.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_gather(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns"),
                count = arguments.number("count");
  const Dtype dtype = arguments.dtype();
  TorchOperation torch;
  torch.title = fmt::format("{} rows out of {}, each of {}.", count, rows, columns);
  torch.inputs = {{"table", {dtype, {rows, columns}, {}}},
                  {"index", {Dtype::i64, {count}, {}}, rows}};
  torch.outputs = {{dtype, {count, columns}, {}}};
  torch.forward = "return torch.index_select(table, 0, index)";
  return torch_program(torch);
}

}  // namespace

Operation gather_operation() {
  return {.name = "gather",
          .title = "rows of a table, by their numbers",
          .kind = "movement",
          .keys = {{"rows", "of the table", {}, "1024"},
                   {"columns", "elements of a row", {}, "256"},
                   {"count", "rows that are taken", {}, "512"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_gather};
}

}  // namespace assay
