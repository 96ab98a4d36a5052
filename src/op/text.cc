#include "op/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {

std::string mlir_type(Dtype dtype) {
  if (dtype == Dtype::u8) return "i8";
  if (dtype == Dtype::boolean) return "i1";
  return std::string(to_word(kDtypeWords, dtype));
}

std::string mlir_tensor(const TensorSpec& spec) {
  std::string text = "tensor<";
  for (int64_t size : spec.shape) text += std::to_string(size) + "x";
  return text + mlir_type(spec.dtype) + ">";
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

std::string python_file(const std::string& title, const std::string& parameters,
                        const std::string& forward, const std::vector<TensorSpec>& inputs) {
  std::string drawn;
  for (const TensorSpec& spec : inputs) drawn += "        " + torch_input(spec) + ",\n";
  return fmt::format(
      "\"\"\"{}\"\"\"\n\n"
      "import torch\n"
      "from torch import nn\n\n\n"
      "class Model(nn.Module):\n"
      "    def forward(self, {}):\n"
      "        {}\n\n\n"
      "def get_inputs():\n"
      "    return [\n{}    ]\n\n\n"
      "def get_init_inputs():\n"
      "    return []\n",
      title, parameters, forward, drawn);
}

}  // namespace assay
