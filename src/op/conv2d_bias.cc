// A convolution with its bias and its activation, channels first.
#include <fmt/format.h>

#include "op/activation.h"
#include "op/all.h"
#include "op/convolution.h"

namespace assay {
namespace {

OpProgram make_conv2d_bias(const OpArguments& arguments) {
  const Convolution conv = convolution_of(arguments);
  const Dtype dtype = arguments.dtype();
  TorchOperation torch;
  torch.title = fmt::format("A convolution, a bias, and {}.", arguments.word("activation"));
  torch.inputs = {{"x", {dtype, conv.image_shape(), {}}},
                  {"weight", {dtype, conv.filter_shape(), {}}},
                  {"bias", {dtype, {conv.f, 1, 1}, {}}}};
  torch.outputs = {{dtype, conv.result_shape(), {}}};
  torch.forward =
      "return " + torch_activation(arguments, torch_convolution(conv, "x", "weight") + " + bias");
  torch.flops = conv.flops();
  return torch_program(torch);
}

}  // namespace

Operation conv2d_bias_operation() {
  Operation made = conv2d_operation();
  made.name = "conv2d_bias";
  made.title = "activation(convolution + bias)";
  made.kind = "fusion";
  made.make = make_conv2d_bias;
  made.write = nullptr;
  // torch has these, and no sums of another type than the factors'.
  std::erase_if(made.keys,
                [](const OpKey& key) { return key.name == "layout" || key.name == "dtype"; });
  made.keys.push_back(activation_key());
  made.keys.push_back(dtype_key({"f32", "f16", "bf16", "f64"}));
  return made;
}

}  // namespace assay
