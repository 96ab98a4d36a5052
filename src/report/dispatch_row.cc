#include "report/dispatch_row.h"

#include <algorithm>

#include "author/author.h"
#include "report/profile.h"

namespace assay {
namespace {

constexpr std::string_view kTilePrefix = "tile_config_";

// "128x128_32x5", "tensorcore" and "mmasync" of "tile_config_128x128_32x5_tensorcore_mmasync".
void split_configuration(DispatchRow& row) {
  row.tile = row.core_class = row.instruction_class = "Default";
  std::string_view rest = row.configuration;
  if (!rest.starts_with(kTilePrefix) || rest == kDefaultTile) return;
  rest.remove_prefix(kTilePrefix.size());
  // A tile is of two parts of numbers; words follow.
  size_t words = rest.find('_');
  if (words != std::string_view::npos) words = rest.find('_', words + 1);
  if (words == std::string_view::npos) return;
  row.tile = rest.substr(0, words);
  rest.remove_prefix(words + 1);
  const size_t instruction = rest.find('_');
  row.core_class = rest.substr(0, instruction);
  if (instruction != std::string_view::npos) row.instruction_class = rest.substr(instruction + 1);
}

// Sizes by the profiler's names; what says nothing of them in this form is left out.
void add_arguments(const OperationFacts& operation, DispatchRow& row) {
  constexpr std::string_view kInTensors[] = {"dtype", "layout"};
  auto value_of = [&](std::string_view name, const char* otherwise) {
    for (const auto& [each, value] : operation.arguments)
      if (each == name) return value;
    return std::string(otherwise);
  };
  row.arguments.emplace_back("batch_count", value_of("b", "1"));
  for (const auto& [name, value] : operation.arguments)
    if (name != "b" && name != "slices" &&
        std::ranges::find(kInTensors, name) == std::end(kInTensors))
      row.arguments.emplace_back(name, value);
  if (operation.tensors.size() == 3) {
    row.arguments.emplace_back("lhs", operation.tensors[0]);
    row.arguments.emplace_back("rhs", operation.tensors[1]);
    row.arguments.emplace_back("result", operation.tensors[2]);
  }
  const std::string slices = value_of("slices", "N/A");
  row.arguments.emplace_back("split_k_mode", slices == "N/A" ? "N/A" : "parallel");
  row.arguments.emplace_back("split_k_slices", slices);
}

}  // namespace

std::string DispatchRow::argument(std::string_view name) const {
  for (const auto& [each, value] : arguments)
    if (each == name) return value;
  return "";
}

DispatchRow dispatch_row(const Attempt& attempt) {
  DispatchRow row;
  const std::string author = attempt.author.substr(0, attempt.author.find('@'));
  row.provider = author == default_author().name ? "IREE Codegen" : author;
  row.configuration = configuration_of(attempt);
  if (row.configuration == "default") row.configuration = kDefaultTile;
  split_configuration(row);
  row.operation = attempt.workload;
  row.kind = attempt.level.empty() ? attempt.suite : attempt.level;
  if (const auto& operation = attempt.operation) {
    row.kind = operation->kind;
    row.operation = operation->name;
    row.bytes = operation->bytes;
    row.flops = operation->flops;
    add_arguments(*operation, row);
  }
  row.verification = attempt.verdict == Verdict::accepted   ? "SUCCESS"
                     : attempt.verdict == Verdict::rejected ? "FAILED"
                                                            : "Not verified";
  if (const auto& profile = attempt.profile) {
    const ProfileRates rates = rates_of(*profile);
    row.runtime_ms = profile->median_ns / 1e6;
    row.gflop_per_s = rates.gflop_per_s;
    row.gb_per_s = rates.gb_per_s;
    if (!row.bytes) row.bytes = profile->bytes;
    if (!row.flops) row.flops = profile->flops;
  }
  return row;
}

}  // namespace assay
