// Chains of steps that each element takes by itself.
#include <fmt/format.h>

#include <array>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

struct Chain {
  std::string_view name;
  size_t inputs;
  std::string_view torch;  // of x, y and z
  double steps;            // of an element
};

constexpr std::array<Chain, 7> kChains{{{"add", 2, "x + y", 1},
                                        {"multiply_add", 3, "x * y + z", 2},
                                        {"relu_add", 2, "torch.relu(x + y)", 2},
                                        {"gelu", 1, "nn.functional.gelu(x)", 4},
                                        {"silu_multiply", 2, "nn.functional.silu(x) * y", 5},
                                        {"sigmoid_tanh", 2, "torch.sigmoid(x) * torch.tanh(y)", 6},
                                        {"exp_subtract", 2, "torch.exp(x - y)", 2}}};

const Chain& chain_of(const OpArguments& arguments) {
  for (const Chain& each : kChains)
    if (each.name == arguments.word("chain")) return each;
  return kChains.front();
}

std::vector<std::string_view> chain_names() {
  std::vector<std::string_view> names;
  for (const Chain& each : kChains) names.push_back(each.name);
  return names;
}

OpProgram make_elementwise(const OpArguments& arguments) {
  const Chain& chain = chain_of(arguments);
  const TensorSpec x{
      arguments.dtype(), {arguments.number("rows"), arguments.number("columns")}, {}};
  TorchOperation torch;
  torch.title = fmt::format("{} of {} elements.", chain.torch, x.elements());
  for (const char* name : {"x", "y", "z"})
    if (torch.inputs.size() < chain.inputs) torch.inputs.push_back({name, x});
  torch.outputs = {x};
  torch.forward = fmt::format("return {}", chain.torch);
  torch.flops = chain.steps * static_cast<double>(x.elements());
  return torch_program(torch);
}

}  // namespace

Operation elementwise_operation() {
  return {.name = "elementwise",
          .title = "a chain of steps that each element takes by itself",
          .kind = "elementwise",
          .keys = {{"rows", "of each matrix", {}, "1024"},
                   {"columns", "of each matrix", {}, "1024"},
                   {"chain", "which steps", chain_names(), "add"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_elementwise};
}

}  // namespace assay
