// Rows of a table, by their numbers.
#include <fmt/format.h>

#include <cmath>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

// Of so many rows, those that `count` drawn numbers name, on average: a row that is named twice is
// read once.
int64_t different_rows(int64_t rows, int64_t count) {
  const auto all = static_cast<double>(rows);
  return std::llround(-all * std::expm1(static_cast<double>(count) * std::log1p(-1 / all)));
}

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
  const auto moved_rows = static_cast<uint64_t>(different_rows(rows, count) + count);
  torch.bytes = moved_rows * static_cast<uint64_t>(columns) * bytes_of(dtype) +
                static_cast<uint64_t>(count) * bytes_of(Dtype::i64);
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
