// y = A x.
#include <fmt/format.h>

#include "op/all.h"
#include "op/linalg.h"
#include "op/product.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_matvec(const OpArguments& arguments) {
  const int64_t m = arguments.number("m"), k = arguments.number("k");
  const bool turned = is_a_transposed(layout_of(arguments));
  const ProductTypes types = product_types(arguments);
  using Shape = std::vector<int64_t>;
  TorchOperation torch;
  torch.title = fmt::format("y = A x: {} x {}, {}.", m, k, arguments.word("dtype"));
  torch.inputs = {{"a", {types.factor, turned ? Shape{k, m} : Shape{m, k}, {}}},
                  {"x", {types.factor, {k}, {}}}};
  torch.outputs = {{types.result, {m}, {}}};
  torch.forward = "return " + torch_product(types, turned ? "a.mT" : "a", "x");
  torch.flops = 2.0 * static_cast<double>(m) * static_cast<double>(k);
  OpProgram program = torch_program(torch);
  program.sum = {.over = {{.size = m, .in_a = turned ? 1 : k}},
                 .summed = {{.size = k, .in_a = turned ? m : 1, .in_b = 1}},
                 .a = torch.inputs[0].spec.shape,
                 .b = {k},
                 .dtype = types.factor,
                 .result = types.result};
  return program;
}

std::string write_matvec(const OpArguments& arguments, const OpProgram& program,
                         const DynamicSizes& dynamic) {
  LinalgProgram text(dynamic);
  const LinalgValue a = text.argument(program.inputs[0]), x = text.argument(program.inputs[1]);
  const bool turned = is_a_transposed(layout_of(arguments));
  const SumOfProducts what{
      {"i", "k"},
      {arguments.number("m")},
      turned ? std::vector<std::string>{"k", "i"} : std::vector<std::string>{"i", "k"},
      {"k"}};
  const LinalgValue sums = text.sum_of_products(what, a, x);
  return text.returning(text.converted(sums, program.outputs[0].dtype));
}

}  // namespace

Operation matvec_operation() {
  return {.name = "matvec",
          .title = "y = A x",
          .kind = "product",
          .keys = {{"m", "rows of A", {}, "1024"},
                   {"k", "columns of A", {}, "1024"},
                   product_dtype_key(),
                   {"layout", "with n, A's shape is [m,k], with t [k,m]", {"n", "t"}, "n"}},
          .make = make_matvec,
          .write = write_matvec,
          .factors = {{0, 1}}};
}

}  // namespace assay
