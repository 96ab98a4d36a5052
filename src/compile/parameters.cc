#include "compile/parameters.h"

#include <set>

namespace assay {

std::vector<NamedParameter> parameters_of(std::string_view mlir) {
  constexpr std::string_view kHead = "#flow.parameter.named<\"model\"::\"", kType = "\"> : tensor<";
  std::vector<NamedParameter> parameters;
  std::set<std::string_view> seen;
  for (size_t at = mlir.find(kHead); at != std::string_view::npos; at = mlir.find(kHead, at)) {
    at += kHead.size();
    const size_t name_end = mlir.find('"', at);
    if (name_end == std::string_view::npos) break;
    const std::string_view name = mlir.substr(at, name_end - at);
    if (mlir.substr(name_end, kType.size()) != kType || name.contains('\\')) continue;
    const size_t type = name_end + kType.size(), type_end = mlir.find('>', type);
    if (type_end == std::string_view::npos) break;
    if (seen.insert(name).second)
      parameters.push_back({std::string(name), std::string(mlir.substr(type, type_end - type))});
  }
  return parameters;
}

}  // namespace assay
