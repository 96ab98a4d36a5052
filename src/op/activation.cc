#include "op/activation.h"

#include <fmt/format.h>

namespace assay {

OpKey activation_key() {
  return {"activation",
          "what is made of each element at the end",
          {"relu", "gelu", "silu", "none"},
          "relu"};
}

std::string torch_activation(const OpArguments& arguments, const std::string& value) {
  const std::string& word = arguments.word("activation");
  return word == "none" ? value : fmt::format("nn.functional.{}({})", word, value);
}

}  // namespace assay
