#include "compile/tuning_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "op/convolution.h"
#include "op/operation.h"

namespace assay {
namespace {

std::optional<int64_t> argument(const OperationFacts& operation, std::string_view key) {
  for (const auto& [name, text] : operation.arguments) {
    if (name != key) continue;
    int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed == std::errc() && end == text.data() + text.size()) return value;
  }
  return std::nullopt;
}

// What sums of such products are formed in: as assay's operations have it, and as torch's export.
std::vector<std::string_view> types_of_sums(std::string_view type) {
  if (type == "f16" || type == "bf16") return {"f32", type};
  if (type == "i8") return {"i32"};
  return {type};
}

// What a loop over a batch has in front of the others: tiles of one, and nothing is summed over it.
std::string_view of_batch(std::string_view level) {
  for (std::string_view tiled : {"distribution", "vector_common_parallel", "workgroup", "thread"})
    if (level == tiled) return "1";
  return "0";
}

// The lists of a lowering that go by loops; promote_operands goes by operands.
bool goes_by_loops(const LoweringPart& part) {
  return part.is_list && part.key != "promote_operands";
}

// Places of a configuration's loops of a convolution, in the order of one with its channels first.
constexpr std::array<size_t, kConvolutionLoops.size()> kChannelsFirst = {0, 3, 1, 2, 6, 4, 5};

template <class List>
List in_order(const List& listed, LoopOrder order) {
  List ordered = listed;
  if (order == LoopOrder::channels_first && listed.size() == kChannelsFirst.size())
    for (size_t i = 0; i < ordered.size(); ++i) ordered[i] = listed[kChannelsFirst[i]];
  return ordered;
}

std::string value_text(const LoweringPart& part, LoopOrder order) {
  if (!part.is_list) {
    const std::string& word = part.values.front();
    return part.key == "mma_kind" ? fmt::format("#iree_gpu.mma_layout<{}>", word) : word;
  }
  std::vector<std::string> values = in_order(part.values, order);
  if (order == LoopOrder::behind_batch && goes_by_loops(part))
    values.insert(values.begin(), std::string(of_batch(part.key)));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

bool is_for_gpu(const Configuration& configuration) {
  return configuration.find("workgroup") != nullptr;
}

// -1: any size.
constexpr ProductSizes kAnySizes{-1, -1, -1, -1};

std::string dimensions(std::string_view name, std::span<const int64_t> sizes) {
  return fmt::format("    transform.iree.match.dims_equal {}, [{}] : !transform.param<i64>\n", name,
                     fmt::join(sizes, ", "));
}

std::string product_matched(const TuningPart& part, LoopOrder order, std::string_view type,
                            std::string_view sums) {
  const ProductSizes sizes = part.product.value_or(kAnySizes);
  const bool has_batch = order == LoopOrder::behind_batch;
  std::vector<int64_t> batch;
  if (has_batch) batch.push_back(sizes.batch.value_or(-1));
  return fmt::format(
             "    %batch, %m, %n, %k = transform.iree.match.contraction %op, lhs_type = {}, "
             "rhs_type = {},\n"
             "        output_type = {} : !transform.any_op -> !transform.param<i64>\n",
             type, type, sums) +
         dimensions("%batch", batch) + dimensions("%m", {&sizes.m, 1}) +
         dimensions("%n", {&sizes.n, 1}) + dimensions("%k", {&sizes.k, 1});
}

// By what its loops are, and by their order, which the tiles go by.
std::string convolution_matched(const ConvolutionSizes& sizes, LoopOrder order,
                                std::string_view type, std::string_view sums) {
  const std::span<const int64_t> loops(sizes.loops);
  const auto ordered = in_order(sizes.loops, order);
  return fmt::format(
             "    %batch, %image, %f, %filter, %c, %depth, %strides, %dilations =\n"
             "        transform.iree.match.convolution %op, lhs_type = {}, rhs_type = {},\n"
             "        output_type = {} : !transform.any_op -> !transform.param<i64>\n",
             type, type, sums) +
         dimensions("%batch", loops.subspan(0, 1)) + dimensions("%image", loops.subspan(1, 2)) +
         dimensions("%f", loops.subspan(3, 1)) + dimensions("%filter", loops.subspan(4, 2)) +
         dimensions("%c", loops.subspan(6, 1)) + dimensions("%depth", {}) +
         "    %loops = transform.match.structured failures(propagate) %op\n"
         "        : (!transform.any_op) -> !transform.param<i64> {\n"
         "    ^bb0(%it: !transform.any_op):\n"
         "      %sizes = transform.match.structured.dim %it[all]\n"
         "          : (!transform.any_op) -> !transform.param<i64>\n"
         "      transform.match.structured.yield %sizes : !transform.param<i64>\n"
         "    }\n" +
         dimensions("%loops", ordered);
}

// Matches one kind of operation, and says how it is lowered.
std::string matcher(size_t number, const TuningPart& part, LoopOrder order, std::string_view type,
                    std::string_view sums) {
  return fmt::format(
      "  transform.named_sequence @match_{}(%op: !transform.any_op {{transform.readonly}})\n"
      "      -> (!transform.any_op, !transform.any_param) {{\n"
      "    transform.iree.match.has_no_lowering_config %op : !transform.any_op\n"
      "{}"
      "    %config = transform.param.constant #iree_codegen.compilation_info<\n"
      "        lowering_config = {},\n"
      "        translation_info = {}> -> !transform.any_param\n"
      "    transform.yield %op, %config : !transform.any_op, !transform.any_param\n"
      "  }}\n",
      number,
      part.convolution ? convolution_matched(*part.convolution, order, type, sums)
                       : product_matched(part, order, type, sums),
      lowering_config(part.configuration, order), translation_info(part.configuration));
}

// What IREE does later, and would leave a lowering behind: it gives the loop over images back to a
// convolution of one image.
constexpr std::string_view kBatchGivenBack =
    "    %given_back = transform.apply_registered_pass\n"
    "        \"iree-codegen-insert-batch-dim-for-batchless-conv\" to %all\n"
    "        : (!transform.any_op) -> !transform.any_op\n";

}  // namespace

bool has_dynamic_sizes(const OperationFacts& operation) {
  return std::ranges::any_of(operation.arguments, [](const auto& argument) {
    return argument.first == kDynamicKey && argument.second != kNoDynamicSize;
  });
}

std::optional<ProductSizes> product_sizes(const OperationFacts& operation) {
  if (has_dynamic_sizes(operation)) return std::nullopt;  // they match none
  const auto m = argument(operation, "m"), n = argument(operation, "n"),
             k = argument(operation, "k");
  if (!m || !n || !k) return std::nullopt;
  ProductSizes sizes{argument(operation, "b"), *m, *n, *k};
  // Sums that are formed in slices are products of as many batches.
  if (const auto slices = argument(operation, "slices"); slices && *slices > 0)
    sizes = {slices, *m, *n, *k / *slices};
  return sizes;
}

std::optional<ConvolutionSizes> convolution_sizes(const OperationFacts& operation) {
  const bool is_over_two = operation.kind == "conv2d" || operation.kind == "conv2d_bias";
  if (!is_over_two || has_dynamic_sizes(operation)) return std::nullopt;
  OpArguments arguments;
  for (const auto& [key, text] : operation.arguments) {
    if (const auto size = argument(operation, key))
      arguments.set(key, *size);
    else
      arguments.set(key, text);
  }
  const Convolution conv = convolution_of(arguments);
  if (conv.groups != 1) return std::nullopt;
  return ConvolutionSizes{
      {conv.n, conv.result[0], conv.result[1], conv.f, conv.filter[0], conv.filter[1], conv.c},
      conv.channels_last};
}

std::vector<LoopOrder> TuningPart::orders() const {
  if (convolution && convolution->channels_last)
    return {*convolution->channels_last ? LoopOrder::as_listed : LoopOrder::channels_first};
  if (convolution) return {LoopOrder::channels_first, LoopOrder::as_listed};
  if (product) return {product->batch ? LoopOrder::behind_batch : LoopOrder::as_listed};
  return {LoopOrder::as_listed, LoopOrder::behind_batch};
}

std::optional<std::vector<int64_t>> sizes_in(std::string_view text) {
  std::vector<int64_t> sizes;
  while (true) {
    const size_t end = std::min(text.find('x'), text.size());
    int64_t value = 0;
    const std::string number(text.substr(0, end));
    const char* const its_end = number.data() + number.size();
    const auto [last, failed] = std::from_chars(number.data(), its_end, value);
    if (failed != std::errc() || last != its_end || value <= 0) return std::nullopt;
    sizes.push_back(value);
    if (end == text.size()) return sizes;
    text.remove_prefix(end + 1);
  }
}

std::optional<ProductSizes> product_sizes_in(std::string_view text) {
  const auto sizes = sizes_in(text).value_or(std::vector<int64_t>{});
  if (sizes.size() == 3) return ProductSizes{std::nullopt, sizes[0], sizes[1], sizes[2]};
  if (sizes.size() == 4) return ProductSizes{sizes[0], sizes[1], sizes[2], sizes[3]};
  return std::nullopt;
}

std::optional<ConvolutionSizes> convolution_sizes_in(std::string_view text) {
  const auto sizes = sizes_in(text).value_or(std::vector<int64_t>{});
  ConvolutionSizes found;
  if (sizes.size() != found.loops.size()) return std::nullopt;
  std::ranges::copy(sizes, found.loops.begin());
  return found;
}

std::vector<int64_t> as_listed(const std::vector<int64_t>& channels_first) {
  std::vector<int64_t> listed(channels_first.size());
  for (size_t i = 0; i < kChannelsFirst.size(); ++i) listed[kChannelsFirst[i]] = channels_first[i];
  return listed;
}

std::string_view operation_of_sizes(std::string_view text) {
  if (product_sizes_in(text)) return kProduct;
  return convolution_sizes_in(text) ? kConvolution : "";
}

std::vector<TuningPart> tuning_parts(const Configuration& configuration,
                                     const std::optional<OperationFacts>& operation) {
  std::vector<TuningPart> parts;
  auto add = [&](const Configuration& each) {
    if (operation)
      parts.push_back({each,
                       {operand_type(*operation)},
                       product_sizes(*operation),
                       convolution_sizes(*operation)});
    else
      parts.push_back(
          {each, each.types, product_sizes_in(each.sizes), convolution_sizes_in(each.sizes)});
  };
  if (configuration.parts.empty()) add(configuration);
  for (const Configuration& each : configuration.parts) add(each);
  return parts;
}

std::string operand_type(const OperationFacts& operation) {
  for (const auto& [name, text] : operation.arguments)
    if (name == "dtype") return text.substr(0, text.find('*'));
  return "";
}

std::string lowering_config(const Configuration& configuration, LoopOrder order) {
  std::vector<std::string> parts;
  for (const LoweringPart& part : configuration.lowering)
    parts.push_back(part.key + " = " + value_text(part, order));
  return is_for_gpu(configuration)
             ? fmt::format("#iree_gpu.lowering_config<{{{}}}>", fmt::join(parts, ", "))
             : fmt::format("#iree_cpu.lowering_config<{}>", fmt::join(parts, ", "));
}

std::string translation_info(const Configuration& configuration) {
  const bool is_gpu = is_for_gpu(configuration);
  std::string text = fmt::format("#iree_codegen.translation_info<pipeline = #iree_{}.pipeline<{}>",
                                 is_gpu ? "gpu" : "cpu", configuration.pipeline);
  if (!configuration.workgroup_size.empty())
    text += fmt::format(" workgroup_size = [{}]", fmt::join(configuration.workgroup_size, ", "));
  if (!configuration.subgroup_size.empty())
    text += " subgroup_size = " + configuration.subgroup_size;
  if (!configuration.stages.empty())
    text += fmt::format(
        ", {{gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = {}, "
        "no_reduce_shared_memory_bank_conflicts = false>}}",
        configuration.stages);
  return text + ">";
}

std::string tuning_spec(const std::string& name, const std::vector<TuningPart>& parts) {
  std::string matchers, rows;
  size_t count = 0;
  auto add = [&](const TuningPart& part, LoopOrder order, std::string_view type,
                 std::string_view sums) {
    matchers += matcher(count, part, order, type, sums);
    rows += fmt::format("{}@match_{} -> @apply", count == 0 ? "" : ",\n        ", count);
    ++count;
  };
  for (const TuningPart& part : parts)
    for (const std::string& type : part.types)
      for (std::string_view sums : types_of_sums(type))
        for (const LoopOrder order : part.orders()) add(part, order, type, sums);
  const bool has_convolutions = std::ranges::any_of(
      parts, [](const TuningPart& part) { return part.convolution.has_value(); });
  return fmt::format(
      "// {0}: how IREE is to lower what this matches. For a CPU:\n"
      "//   iree-compile --iree-codegen-tuning-spec-path=FILE\n"
      "// and for targets whose backend does not read that:\n"
      "//   iree-compile --iree-preprocessing-transform-spec-filename=FILE\n"
      "module attributes {{transform.with_named_sequence}} {{\n"
      "  transform.named_sequence @apply(%op: !transform.any_op {{transform.readonly}},\n"
      "                                  %config: !transform.any_param {{transform.readonly}}) {{\n"
      "    transform.annotate %op \"compilation_info\" = %config\n"
      "        : !transform.any_op, !transform.any_param\n"
      "    transform.yield\n"
      "  }}\n"
      "{1}"
      "  transform.named_sequence @__kernel_config(%all: !transform.any_op "
      "{{transform.consumed}})\n"
      "      -> !transform.any_op attributes {{iree_codegen.tuning_spec_entrypoint}} {{\n"
      "{3}"
      "    %done = transform.foreach_match in {4}\n"
      "        {2} : (!transform.any_op) -> !transform.any_op\n"
      "    transform.yield %done : !transform.any_op\n"
      "  }}\n"
      "  transform.named_sequence @__transform_main(%all: !transform.any_op "
      "{{transform.consumed}}) {{\n"
      "    %done = transform.foreach_match in %all\n"
      "        {2} : (!transform.any_op) -> !transform.any_op\n"
      "    transform.yield\n"
      "  }}\n"
      "}}\n",
      name, matchers, rows, has_convolutions ? kBatchGivenBack : "",
      has_convolutions ? "%given_back" : "%all");
}

std::vector<std::string> lowerings_in(std::string_view dump) {
  std::vector<std::string> found;
  for (std::string_view begin : {"#iree_cpu.lowering_config<", "#iree_gpu.lowering_config<"}) {
    for (size_t at = dump.find(begin); at != std::string_view::npos;
         at = dump.find(begin, at + 1)) {
      int depth = 0;
      size_t end = at;
      for (; end < dump.size() && dump[end] != '\n'; ++end) {
        if (dump[end] == '<') ++depth;
        if (dump[end] == '>' && --depth == 0) break;
      }
      std::string one(dump.substr(at, end - at + 1));
      if (depth == 0 && std::ranges::find(found, one) == found.end())
        found.push_back(std::move(one));
    }
  }
  return found;
}

std::optional<int64_t> shared_bytes_in(std::string_view dump) {
  constexpr std::string_view kName = "workgroup_local_memory = ";
  std::optional<int64_t> most;
  for (size_t at = dump.find(kName); at != std::string_view::npos; at = dump.find(kName, at + 1)) {
    int64_t bytes = 0;
    const char* begin = dump.data() + at + kName.size();
    if (std::from_chars(begin, dump.data() + dump.size(), bytes).ec == std::errc())
      most = std::max(most.value_or(0), bytes);
  }
  return most;
}

}  // namespace assay
