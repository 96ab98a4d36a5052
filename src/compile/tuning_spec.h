// A library in MLIR's transform dialect that IREE takes: which operations it matches, and how they
// are lowered. It has both of the entries that IREE knows, since not all of its backends read it at
// the same place: --iree-codegen-tuning-spec-path, and
// --iree-preprocessing-transform-spec-filename.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/configuration.h"

namespace assay {

// Sizes of a product's loops; no batch: it has none.
struct ProductSizes {
  std::optional<int64_t> batch{};
  int64_t m = 0, n = 0, k = 0;

  bool operator==(const ProductSizes&) const = default;
};
// Whether there are sizes that its program does not know.
bool has_dynamic_sizes(const OperationFacts& operation);
// Of an operation that is a product, whose sizes are known; nothing: it is none.
std::optional<ProductSizes> product_sizes(const OperationFacts& operation);
// "64x32x128", or with a batch "4x64x32x128"; nothing: they are no sizes.
std::optional<ProductSizes> sizes_in(std::string_view text);
// Of its operands: "f16" of "f16*f16->f32"; "" where it does not say.
std::string operand_type(const OperationFacts& operation);

// As IREE prints it, with what a batch has before the loops that the configuration names.
std::string lowering_config(const Configuration& configuration, bool has_batch);
std::string translation_info(const Configuration& configuration);

// What lowers products, and which.
struct TuningPart {
  const Configuration& configuration;
  std::vector<std::string> types;       // of the operands
  std::optional<ProductSizes> sizes{};  // of the one product that it is for; nothing: of all
};
// A configuration by itself or its parts, for an operation; nothing: for all that they say.
std::vector<TuningPart> tuning_parts(const Configuration& configuration,
                                     const std::optional<OperationFacts>& operation);
// `name`: for people.
std::string tuning_spec(const std::string& name, const std::vector<TuningPart>& parts);

// The lowerings in a dump of the phase executable-configurations.
std::vector<std::string> lowerings_in(std::string_view dump);
// What the largest call of a dump of the phase executable-targets takes of a workgroup's memory,
// where it says.
std::optional<int64_t> shared_bytes_in(std::string_view dump);

}  // namespace assay
