// An operation of nobody's: op:axpy[n=64] is a times x plus y. docs/hacking.md shows this file.
#include "base/rows.h"
#include "op/text.h"

namespace assay {
namespace {

OpProgram make_axpy(const OpArguments& arguments) {
  const TensorSpec vector{arguments.dtype(), {arguments.number("n")}, {}};
  TorchOperation torch;
  torch.title = "a times x plus y.";
  torch.inputs = {{"a", {arguments.dtype(), {1}, {}}}, {"x", vector}, {"y", vector}};
  torch.outputs = {vector};
  torch.forward = "return a * x + y";
  torch.flops = 2.0 * static_cast<double>(vector.elements());
  return torch_program(torch);
}

const AddedRow<Operation> kAxpy({.name = "axpy",
                                 .title = "a times x plus y",
                                 .kind = "elementwise",
                                 .keys = {{"n", "elements of x and y", {}, "1024"},
                                          dtype_key({"f32", "f64"})},
                                 .make = make_axpy});

}  // namespace
}  // namespace assay
