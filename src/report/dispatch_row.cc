#include "report/dispatch_row.h"

#include <algorithm>
#include <array>

#include "author/author.h"
#include "base/rows.h"
#include "op/operation.h"
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

// Left factor, right factor and result of an operation that is a product of two matrices. A record
// of another assay's may name one that is none here, or have other tensors.
std::optional<std::array<std::string, 3>> tensors_of_product(const OperationFacts& operation) {
  const Operation* known = find_row(operations(), operation.kind);
  if (!known || !known->factors) return std::nullopt;
  const auto& [left, right] = *known->factors;
  if (std::max(left, right) + 1 >= operation.tensors.size()) return std::nullopt;
  return {{operation.tensors[left], operation.tensors[right], operation.tensors.back()}};
}

// Sizes by the profiler's names. What the tensors of a product say of types and layouts is not said
// twice.
void add_arguments(const OperationFacts& operation, DispatchRow& row) {
  constexpr std::string_view kInTensors[] = {"dtype", "layout"};
  const auto product = tensors_of_product(operation);
  auto value_of = [&](std::string_view name, const char* otherwise) {
    for (const auto& [each, value] : operation.arguments)
      if (each == name) return value;
    return std::string(otherwise);
  };
  row.arguments.emplace_back("batch_count", value_of("b", "1"));
  for (const auto& [name, value] : operation.arguments)
    if (name != "b" && name != "slices" &&
        (!product || std::ranges::find(kInTensors, name) == std::end(kInTensors)))
      row.arguments.emplace_back(name, value);
  if (product) {
    constexpr const char* kTensors[] = {"lhs", "rhs", "result"};
    for (size_t i = 0; i < product->size(); ++i)
      row.arguments.emplace_back(kTensors[i], (*product)[i]);
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
