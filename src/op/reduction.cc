// One number of each row, or of each column. Sums of f16 and bf16 are formed in f32.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_reduction(const OpArguments& arguments) {
  const int64_t rows = arguments.number("rows"), columns = arguments.number("columns");
  const Dtype dtype = arguments.dtype();
  const std::string& take = arguments.word("take");
  const bool of_rows = arguments.word("of") == "rows";
  const TensorSpec x{dtype, {rows, columns}, {}};
  TorchOperation torch;
  torch.title = fmt::format("The {} of each of the {} of {} x {}.", take, arguments.word("of"),
                            rows, columns);
  torch.inputs = {{"x", x}};
  torch.outputs = {{dtype, {of_rows ? rows : columns}, {}}};
  const int axis = of_rows ? 1 : 0;
  if (take == "sum" || take == "mean")
    torch.forward =
        bytes_of(dtype) == 2
            ? fmt::format("return x.{}(dim={}, dtype=torch.float32).to(x.dtype)", take, axis)
            : fmt::format("return x.{}(dim={})", take, axis);
  else
    torch.forward = fmt::format("return x.a{}(dim={})", take, axis);
  torch.flops = static_cast<double>(x.elements());
  OpProgram program = torch_program(torch);
  if (take != "sum" && take != "mean") return program;
  const SumLoop over_rows{.size = rows, .in_a = columns}, over_columns{.size = columns, .in_a = 1};
  program.sum = {.over = {of_rows ? over_rows : over_columns},
                 .summed = {of_rows ? over_columns : over_rows},
                 .a = x.shape,
                 .is_mean = take == "mean",
                 .dtype = dtype,
                 .result = dtype};
  return program;
}

}  // namespace

Operation reduction_operation() {
  return {.name = "reduction",
          .title = "one number of each row, or of each column",
          .kind = "reduction",
          .keys = {{"rows", "of the matrix", {}, "1024"},
                   {"columns", "of the matrix", {}, "1024"},
                   {"take", "which number", {"sum", "mean", "max", "min"}, "sum"},
                   {"of", "what is reduced", {"rows", "columns"}, "rows"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_reduction};
}

}  // namespace assay
