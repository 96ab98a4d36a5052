#include "op/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace assay {

std::string mlir_type(Dtype dtype) {
  if (dtype == Dtype::u8) return "i8";
  if (dtype == Dtype::boolean) return "i1";
  return std::string(to_word(kDtypeWords, dtype));
}

std::string mlir_tensor(const TensorSpec& spec, const std::vector<std::string>& sizes) {
  std::string text = "tensor<";
  for (size_t i = 0; i < spec.shape.size(); ++i) {
    const bool is_known = i >= sizes.size() || sizes[i].empty();
    text += (is_known ? std::to_string(spec.shape[i]) : "?") + "x";
  }
  return text + mlir_type(spec.dtype) + ">";
}

std::string classic_type(Dtype dtype) {
  std::string type(to_word(kDtypeWords, dtype));
  if (!is_floating(dtype) && type.starts_with('i')) type.front() = 's';  // i8: signed
  return type;
}

std::string torch_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "torch.float64";
    case Dtype::f32:
      return "torch.float32";
    case Dtype::f16:
      return "torch.float16";
    case Dtype::bf16:
      return "torch.bfloat16";
    case Dtype::i64:
      return "torch.int64";
    case Dtype::i32:
      return "torch.int32";
    case Dtype::i16:
      return "torch.int16";
    case Dtype::i8:
      return "torch.int8";
    case Dtype::u8:
      return "torch.uint8";
    case Dtype::boolean:
      return "torch.bool";
  }
  return "";
}

std::string torch_input(const TensorSpec& spec) {
  std::string sizes = fmt::format("{}", fmt::join(spec.shape, ", "));
  std::string type = "dtype=" + torch_type(spec.dtype);
  if (is_floating(spec.dtype)) return fmt::format("torch.randn({}, {})", sizes, type);
  return fmt::format("torch.randint(-128, 128, ({},), {})", sizes, type);
}

std::string torch_index(const TensorSpec& spec, int64_t below) {
  return fmt::format("torch.randint(0, {}, ({},), dtype={})", below, fmt::join(spec.shape, ", "),
                     torch_type(spec.dtype));
}

std::string python_file(const TorchOperation& operation) {
  std::string drawn;
  std::vector<std::string> names;
  for (const TorchInput& each : operation.inputs) {
    names.push_back(each.name);
    drawn +=
        fmt::format("        {},\n", each.index_below > 0 ? torch_index(each.spec, each.index_below)
                                                          : torch_input(each.spec));
  }
  std::string body;
  for (size_t begin = 0; begin < operation.forward.size();) {
    const size_t end = std::min(operation.forward.find('\n', begin), operation.forward.size());
    body += "        " + operation.forward.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return fmt::format(
      "\"\"\"{}\"\"\"\n\n"
      "import torch\n"
      "from torch import nn\n\n\n"
      "class Model(nn.Module):\n"
      "    def forward(self, {}):\n"
      "{}\n\n"
      "def get_inputs():\n"
      "    return [\n{}    ]\n\n\n"
      "def get_init_inputs():\n"
      "    return []\n",
      operation.title, fmt::join(names, ", "), body, drawn);
}

std::string widened(const std::string& input, Dtype dtype) {
  return bytes_of(dtype) == 2 ? input + ".float()" : input;
}

std::string rounded(const std::string& value, Dtype dtype) {
  return bytes_of(dtype) == 2 ? fmt::format("{}.to({})", value, torch_type(dtype)) : value;
}

OpProgram torch_program(const TorchOperation& operation) {
  OpProgram program;
  for (const TorchInput& each : operation.inputs) program.inputs.push_back(each.spec);
  program.outputs = operation.outputs;
  program.python = python_file(operation);
  program.flops = operation.flops;
  program.bytes = operation.bytes;
  return program;
}

OpKey dtype_key(std::vector<std::string_view> types) {
  const std::string_view usual = types.front();
  return {"dtype", "of inputs and outputs", std::move(types), usual};
}

}  // namespace assay
