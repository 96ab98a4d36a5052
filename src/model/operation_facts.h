// What an attempt at a generated operation is at, as profilers list it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace assay {

struct OperationFacts {
  std::string kind;  // "matmul"
  std::string name;  // in the classic form: "matmul_256x512x128_f16t_f16t_f16t"
  // In the operation's order: {"m", "256"}.
  std::vector<std::pair<std::string, std::string>> arguments;
  std::vector<std::string> tensors;  // inputs, then results: "f16t"; t: row by row, n: transposed
  uint64_t bytes = 0;            // that a call has to move: what it needs of inputs, and results
  std::optional<int64_t> flops;  // useful ones; nothing: there is nothing to count

  std::string type{};  // that its operations are of: "f16"; no part of its JSON

  bool operator==(const OperationFacts&) const = default;
};

// What IREE's dispatch profiler wrote behind an operation's name where the compiler chooses itself.
inline constexpr std::string_view kDefaultTile = "tile_config_default";

Json to_json(const OperationFacts& facts);
Result<OperationFacts> operation_facts_from_json(const Json& json);

}  // namespace assay
