// Softmax over the columns of a matrix; of f16 and bf16 worked out in f32 and rounded once.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

// The four steps as the textbook has them; the compiler may fuse them.
std::string mlir(const TensorSpec& x, const TensorSpec& wide, const TensorSpec& row) {
  const std::string narrow = mlir_type(x.dtype), type = mlir_type(wide.dtype);
  const bool same = x.dtype == wide.dtype;
  const std::string extend =
      same ? "" : fmt::format("    %w = arith.extf %x : {} to {}\n", narrow, type);
  const std::string value = same ? "%x" : "%w";
  return fmt::format(
      "#all = affine_map<(i, j) -> (i, j)>\n"
      "#row = affine_map<(i, j) -> (i)>\n"
      "func.func @main(%in: {0}) -> {0} {{\n"
      "  %low = arith.constant {8} : {4}\n"
      "  %zero = arith.constant 0.0 : {4}\n"
      "  %room_row = tensor.empty() : {2}\n"
      "  %lows = linalg.fill ins(%low : {4}) outs(%room_row : {2}) -> {2}\n"
      "  %most = linalg.generic {{indexing_maps = [#all, #row],\n"
      "      iterator_types = [\"parallel\", \"reduction\"]}} ins(%in : {0}) outs(%lows : {2}) {{\n"
      "  ^bb0(%x: {3}, %m: {4}):\n{5}"
      "    %n = arith.maximumf {6}, %m : {4}\n"
      "    linalg.yield %n : {4}\n"
      "  }} -> {2}\n"
      "  %room = tensor.empty() : {1}\n"
      "  %powers = linalg.generic {{indexing_maps = [#all, #row, #all],\n"
      "      iterator_types = [\"parallel\", \"parallel\"]}} ins(%in, %most : {0}, {2})\n"
      "      outs(%room : {1}) {{\n"
      "  ^bb0(%x: {3}, %m: {4}, %old: {4}):\n{5}"
      "    %d = arith.subf {6}, %m : {4}\n"
      "    %e = math.exp %d : {4}\n"
      "    linalg.yield %e : {4}\n"
      "  }} -> {1}\n"
      "  %zeros = linalg.fill ins(%zero : {4}) outs(%room_row : {2}) -> {2}\n"
      "  %sums = linalg.generic {{indexing_maps = [#all, #row],\n"
      "      iterator_types = [\"parallel\", \"reduction\"]}} ins(%powers : {1}) outs(%zeros : "
      "{2}) {{\n"
      "  ^bb0(%e: {4}, %s: {4}):\n"
      "    %t = arith.addf %e, %s : {4}\n"
      "    linalg.yield %t : {4}\n"
      "  }} -> {2}\n"
      "  %room_out = tensor.empty() : {0}\n"
      "  %out = linalg.generic {{indexing_maps = [#all, #row, #all],\n"
      "      iterator_types = [\"parallel\", \"parallel\"]}} ins(%powers, %sums : {1}, {2})\n"
      "      outs(%room_out : {0}) {{\n"
      "  ^bb0(%e: {4}, %s: {4}, %old: {3}):\n"
      "    %q = arith.divf %e, %s : {4}\n{7}"
      "  }} -> {0}\n"
      "  return %out : {0}\n}}\n",
      mlir_tensor(x), mlir_tensor(wide), mlir_tensor(row), narrow, type, extend, value,
      same ? fmt::format("    linalg.yield %q : {}\n", type)
           : fmt::format("    %r = arith.truncf %q : {1} to {0}\n    linalg.yield %r : {0}\n",
                         narrow, type),
      wide.dtype == Dtype::f64 ? "0xFFF0000000000000" : "0xFF800000");
}

OpProgram make_softmax(const OpArguments& arguments) {
  int64_t rows = arguments.number("rows"), columns = arguments.number("columns");
  const TensorSpec x{arguments.dtype(), {rows, columns}, {}};
  TorchOperation torch;
  torch.title = fmt::format("Softmax of {} rows of {}.", rows, columns);
  torch.inputs = {{"x", x}};
  torch.outputs = {x};
  torch.forward = "return torch.softmax(x, dim=1)";
  torch.flops = 5.0 * static_cast<double>(x.elements());
  return torch_program(torch);
}

std::string write_softmax(const OpArguments& arguments, const OpProgram& program,
                          const DynamicSizes& dynamic) {
  if (!dynamic.empty()) return "";
  const TensorSpec& x = program.inputs[0];
  const Dtype inside = x.dtype == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  return mlir(x, {inside, x.shape, {}}, {inside, {arguments.number("rows")}, {}});
}

}  // namespace

Operation softmax_operation() {
  return {"softmax",
          "exp(x) / sum(exp(x)) of each row",
          "normalisation",
          {{"rows", "independent ones", {}, "1024"},
           {"columns", "elements of a row", {}, "1024"},
           dtype_key({"f32", "f16", "bf16", "f64"})},
          make_softmax,
          write_softmax};
}

}  // namespace assay
