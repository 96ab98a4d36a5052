// A library in MLIR's transform dialect that IREE takes: which operations it matches, and how they
// are lowered. It has both of the entries that IREE knows, since not all of its backends read it at
// the same place: --iree-codegen-tuning-spec-path, and
// --iree-preprocessing-transform-spec-filename.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/configuration.h"

namespace assay {

// In what order an operation has its loops: those that a configuration's lists go by, or these
// behind the loop of a batch; or, with the channels of a convolution first, in another order.
enum class LoopOrder { as_listed, behind_batch, channels_first };

// Sizes of a product's loops; no batch: it has none.
struct ProductSizes {
  std::optional<int64_t> batch{};
  int64_t m = 0, n = 0, k = 0;

  bool operator==(const ProductSizes&) const = default;
};
// Of a convolution over two dimensions, in the order in which a configuration lists them: images,
// rows and columns of a result, its channels, rows and columns of a filter, channels of an image.
inline constexpr std::array<std::string_view, 7> kConvolutionLoops = {
    "images", "rows", "columns", "f", "kh", "kw", "c"};
// Their sizes, where images have their zeros around them.
struct ConvolutionSizes {
  std::array<int64_t, kConvolutionLoops.size()> loops{};
  std::optional<bool> channels_last{};  // not known of a program's
};
// Whether there are sizes that its program does not know.
bool has_dynamic_sizes(const OperationFacts& operation);
// Of an operation that is a product, whose sizes are known; nothing: it is none.
std::optional<ProductSizes> product_sizes(const OperationFacts& operation);
// Of an operation that is a convolution over two dimensions, in one group, whose sizes are known.
std::optional<ConvolutionSizes> convolution_sizes(const OperationFacts& operation);

// As text has sizes, with x between them; nothing: it has none, or something else, too.
std::optional<std::vector<int64_t>> sizes_in(std::string_view text);
// "64x32x128", or with a batch "4x64x32x128".
std::optional<ProductSizes> product_sizes_in(std::string_view text);
// Of a program's: "2x56x56x64x3x3x64".
std::optional<ConvolutionSizes> convolution_sizes_in(std::string_view text);
// Of as many loops with the channels first: in the order in which a configuration lists them.
std::vector<int64_t> as_listed(const std::vector<int64_t>& channels_first);
// kProduct, kConvolution; "": they are the sizes of neither.
std::string_view operation_of_sizes(std::string_view text);
// Of its operands: "f16" of "f16*f16->f32"; "" where it does not say.
std::string operand_type(const OperationFacts& operation);

// As IREE prints it.
std::string lowering_config(const Configuration& configuration, LoopOrder order);
std::string translation_info(const Configuration& configuration);

// What lowers products, or a convolution, and which.
struct TuningPart {
  const Configuration& configuration;
  std::vector<std::string> types;         // of the operands
  std::optional<ProductSizes> product{};  // that it is for
  std::optional<ConvolutionSizes> convolution{};
  // Neither: it is for all products. One for all convolutions there is none: the order of their
  // loops has to be matched.

  // Of what it matches: of all products either, and of a program's convolution.
  std::vector<LoopOrder> orders() const;
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
