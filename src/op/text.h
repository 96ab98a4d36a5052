// Pieces of the programs that operations generate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tensor.h"
#include "op/operation.h"

namespace assay {

std::string mlir_type(Dtype dtype);  // "f32", "i8"
// "tensor<64x97xf16>"; "?" in the place of sizes that have a name in `sizes`, by dimension.
std::string mlir_tensor(const TensorSpec& spec, const std::vector<std::string>& sizes = {});
std::string classic_type(Dtype dtype);  // "f16", "s8": as dispatch profilers have it
std::string torch_type(Dtype dtype);    // "torch.float32"

// A call that draws an input: normal numbers, or all that a type of 8 bits has.
std::string torch_input(const TensorSpec& spec);
// One that draws whole numbers from 0 to below `below`: assay sees that they are indices.
std::string torch_index(const TensorSpec& spec, int64_t below);

// An input by its name in `forward`.
struct TorchInput {
  std::string name;
  TensorSpec spec;
  int64_t index_below = 0;  // above 0: it is an index of that many
};

// An operation that torch says: the exporter makes the program for IREE of it.
struct TorchOperation {
  std::string title;
  std::vector<TorchInput> inputs;
  std::string forward;  // the body of Model.forward, line by line
  std::vector<TensorSpec> outputs;
  double flops = 0;
  std::optional<uint64_t> bytes{};  // as OpProgram has them
};
// For what is worked out in f32 and rounded once where it is of f16 or bf16: an input, "x.float()",
// and a result.
std::string widened(const std::string& input, Dtype dtype);
std::string rounded(const std::string& value, Dtype dtype);

OpProgram torch_program(const TorchOperation& operation);

// Its KernelBench-format file.
std::string python_file(const TorchOperation& operation);

// "dtype", of these types; the first is the usual one.
OpKey dtype_key(std::vector<std::string_view> types);

}  // namespace assay
