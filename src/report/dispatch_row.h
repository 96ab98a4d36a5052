// One attempt as dispatch profilers tabulate it: what IREE's dispatch profiler and CUTLASS's
// profiler have in common.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/attempt.h"

namespace assay {

struct DispatchRow {
  std::string provider;       // "IREE Codegen", or the author
  std::string kind;           // "matmul"
  std::string operation;      // "matmul_256x512x128_f16t_f16t_f16t", or the problem
  std::string configuration;  // "tile_config_default"
  // In the profiler's order: {"batch_count", "1"}.
  std::vector<std::pair<std::string, std::string>> arguments;
  std::string tile, core_class, instruction_class;  // of the configuration, or "Default"
  std::string verification;                         // "SUCCESS", "FAILED" or "Not verified"
  std::optional<uint64_t> bytes;
  std::optional<int64_t> flops;
  std::optional<double> runtime_ms, gflop_per_s, gb_per_s;  // of what was profiled

  // "": it has no such argument.
  std::string argument(std::string_view name) const;
};

DispatchRow dispatch_row(const Attempt& attempt);

}  // namespace assay
