// What ends a fused operation.
#pragma once

#include <string>

#include "op/operation.h"

namespace assay {

OpKey activation_key();

// Its call in torch, of `value`.
std::string torch_activation(const OpArguments& arguments, const std::string& value);

}  // namespace assay
