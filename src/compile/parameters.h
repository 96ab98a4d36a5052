// What a program reads beside its inputs, as its text names it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct NamedParameter {
  std::string name;  // "layer.weight"
  std::string type;  // as IREE's tools write it: "64x192xf32", "f32"

  bool operator==(const NamedParameter&) const = default;
};

// Of `#flow.parameter.named<"model"::"layer.weight"> : tensor<64x192xf32>`, each once. Names that
// MLIR has to escape are left out: no module of torch's has one.
std::vector<NamedParameter> parameters_of(std::string_view mlir);

}  // namespace assay
