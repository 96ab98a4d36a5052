// Pieces of the programs that operations generate.
#pragma once

#include <string>
#include <vector>

#include "model/tensor.h"

namespace assay {

std::string mlir_type(Dtype dtype);               // "f32", "i8"
std::string mlir_tensor(const TensorSpec& spec);  // "tensor<64x97xf16>"
std::string torch_type(Dtype dtype);              // "torch.float32"

// A call that draws an input: normal numbers, or all that a type of 8 bits has.
std::string torch_input(const TensorSpec& spec);

// A KernelBench-format file: `forward` is the body of Model.forward(self, PARAMETERS).
std::string python_file(const std::string& title, const std::string& parameters,
                        const std::string& forward, const std::vector<TensorSpec>& inputs);

}  // namespace assay
