// C = A B. Sums of f16 and bf16 are formed in f32 and rounded once, those of i8 in i32.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

// Where the sums are formed.
Dtype sum_type(Dtype dtype) {
  if (dtype == Dtype::f16 || dtype == Dtype::bf16) return Dtype::f32;
  return dtype == Dtype::i8 ? Dtype::i32 : dtype;
}

std::string widened(const ProductShape& shape, const std::string& from, const std::string& to) {
  std::string type = mlir_type(shape.dtype), wide = mlir_type(sum_type(shape.dtype));
  if (type == wide) return "";
  const char* how = is_floating(shape.dtype) ? "extf" : "extsi";
  return fmt::format("    {} = arith.{} {} : {} to {}\n", to, how, from, type, wide);
}

std::string mlir(const ProductShape& shape, const TensorSpec& a, const TensorSpec& b,
                 const TensorSpec& c) {
  TensorSpec sums{sum_type(shape.dtype), c.shape, {}};
  bool floating = is_floating(shape.dtype), wide = sums.dtype != shape.dtype;
  std::string sum = mlir_type(sums.dtype);
  std::string text = fmt::format(
      "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
      "  %zero = arith.constant {3} : {4}\n"
      "  %empty = tensor.empty() : {5}\n"
      "  %start = linalg.fill ins(%zero : {4}) outs(%empty : {5}) -> {5}\n"
      "  %sums = linalg.generic {{\n"
      "      indexing_maps = [affine_map<(i, j, k) -> {6}>, affine_map<(i, j, k) -> {7}>,\n"
      "                       affine_map<(i, j, k) -> (i, j)>],\n"
      "      iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}}\n"
      "      ins(%a, %b : {0}, {1}) outs(%start : {5}) {{\n"
      "  ^bb0(%x: {8}, %y: {8}, %sum: {4}):\n",
      mlir_tensor(a), mlir_tensor(b), mlir_tensor(c), floating ? "0.0" : "0", sum,
      mlir_tensor(sums), is_a_transposed(shape.layout) ? "(k, i)" : "(i, k)",
      is_b_transposed(shape.layout) ? "(j, k)" : "(k, j)", mlir_type(shape.dtype));
  text += widened(shape, "%x", "%wide_x") + widened(shape, "%y", "%wide_y");
  text += fmt::format(
      "    %product = arith.{0} {1}, {2} : {4}\n"
      "    %next = arith.{3} %sum, %product : {4}\n"
      "    linalg.yield %next : {4}\n"
      "  }} -> {5}\n",
      floating ? "mulf" : "muli", wide ? "%wide_x" : "%x", wide ? "%wide_y" : "%y",
      floating ? "addf" : "addi", sum, mlir_tensor(sums));
  if (sums.dtype == c.dtype) return text + fmt::format("  return %sums : {}\n}}\n", mlir_tensor(c));
  return text +
         fmt::format(
             "  %room = tensor.empty() : {0}\n"
             "  %c = linalg.generic {{\n"
             "      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],\n"
             "      iterator_types = [\"parallel\", \"parallel\"]}}\n"
             "      ins(%sums : {1}) outs(%room : {0}) {{\n"
             "  ^bb0(%wide: {2}, %old: {3}):\n"
             "    %narrow = arith.truncf %wide : {2} to {3}\n"
             "    linalg.yield %narrow : {3}\n"
             "  }} -> {0}\n"
             "  return %c : {0}\n}}\n",
             mlir_tensor(c), mlir_tensor(sums), sum, mlir_type(c.dtype));
}

Result<OpProgram> make_matmul(const OpArguments& arguments) {
  ProductShape shape;
  shape.m = arguments.number("m");
  shape.n = arguments.number("n");
  shape.k = arguments.number("k");
  shape.dtype = *from_word(kDtypeWords, arguments.word("dtype"));
  shape.result = shape.dtype == Dtype::i8 ? Dtype::i32 : shape.dtype;
  shape.layout = *from_word(kLayoutWords, arguments.word("layout"));
  bool ta = is_a_transposed(shape.layout), tb = is_b_transposed(shape.layout);
  using Shape = std::vector<int64_t>;
  TensorSpec a{shape.dtype, ta ? Shape{shape.k, shape.m} : Shape{shape.m, shape.k}, {}};
  TensorSpec b{shape.dtype, tb ? Shape{shape.n, shape.k} : Shape{shape.k, shape.n}, {}};
  TensorSpec c{shape.result, {shape.m, shape.n}, {}};
  OpProgram program;
  program.inputs = {a, b};
  program.outputs = {c};
  program.mlir = mlir(shape, a, b, c);
  program.python = python_file(
      fmt::format("C = A B: {} x {} by {} x {}, {} {}.", shape.m, shape.k, shape.k, shape.n,
                  to_word(kDtypeWords, shape.dtype), to_word(kLayoutWords, shape.layout)),
      "a, b",
      fmt::format("return torch.{}(a{}, b{})", shape.dtype == Dtype::i8 ? "_int_mm" : "matmul",
                  ta ? ".mT" : "", tb ? ".mT" : ""),
      program.inputs);
  program.product = shape;
  program.flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                  static_cast<double>(shape.k);
  return program;
}

}  // namespace

Operation matmul_operation() {
  return {
      "matmul",
      "C = A B",
      "product",
      {{"m", "rows of A and C", {}, "256"},
       {"n", "columns of B and C", {}, "256"},
       {"k", "columns of A, rows of B", {}, "256"},
       {"dtype", "of A, B and C; with i8, C is i32", {"f32", "f16", "bf16", "f64", "i8"}, "f32"},
       {"layout",
        "a letter for A and one for B: with n its shape is [m,k] or [k,n], with t [k,m] or [n,k], "
        "and the product takes its transpose",
        {"nn", "nt", "tn", "tt"},
        "nn"}},
      make_matmul};
}

}  // namespace assay
