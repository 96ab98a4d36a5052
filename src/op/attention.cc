// softmax(Q K^T / sqrt(dim)) V, for each head.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

Status check_attention(const OpArguments& arguments) {
  const int64_t heads = arguments.number("heads"), kv_heads = arguments.number("kv_heads"),
                queries = arguments.number("queries"), keys = arguments.number("keys");
  if (heads % kv_heads != 0)
    return error(Code::invalid_input,
                 fmt::format("heads={} is no multiple of kv_heads={}", heads, kv_heads),
                 "each head of keys and values serves as many heads of queries");
  if (arguments.word("mask") == "causal" && queries != keys)
    return error(Code::invalid_input,
                 fmt::format("mask=causal, and queries={} and keys={} differ", queries, keys),
                 "a query sees the keys up to its own: give as many, or mask=given");
  return {};
}

OpProgram make_attention(const OpArguments& arguments) {
  const int64_t b = arguments.number("b"), heads = arguments.number("heads"),
                kv_heads = arguments.number("kv_heads"), queries = arguments.number("queries"),
                keys = arguments.number("keys"), dim = arguments.number("dim");
  const std::string& mask = arguments.word("mask");
  const Dtype dtype = arguments.dtype();
  const TensorSpec q{dtype, {b, heads, queries, dim}, {}}, k{dtype, {b, kv_heads, keys, dim}, {}};
  TorchOperation torch;
  torch.title = fmt::format("Attention: {} heads of {} queries, {} of {} keys and values, of {}.",
                            heads, queries, kv_heads, keys, dim);
  torch.inputs = {{"q", q}, {"k", k}, {"v", k}};
  if (mask == "given") torch.inputs.push_back({"mask", {dtype, {queries, keys}, {}}});
  torch.outputs = {q};
  torch.forward = fmt::format("return nn.functional.scaled_dot_product_attention(q, k, v{}{})",
                              mask == "causal"  ? ", is_causal=True"
                              : mask == "given" ? ", attn_mask=mask"
                                                : "",
                              heads == kv_heads ? "" : ", enable_gqa=True");
  const double scores = static_cast<double>(b * heads) * static_cast<double>(queries) *
                        static_cast<double>(keys) * (mask == "causal" ? 0.5 : 1.0);
  torch.flops = 4.0 * scores * static_cast<double>(dim);
  return torch_program(torch);
}

}  // namespace

Operation attention_operation() {
  return {.name = "attention",
          .title = "softmax(Q K^T / sqrt(dim)) V, for each head",
          .kind = "attention",
          .keys = {{"b", "sequences", {}, "1"},
                   {"heads", "of queries", {}, "8"},
                   {"kv_heads", "of keys and values; fewer than of queries: grouped", {}, "heads"},
                   {"queries", "of a head", {}, "128"},
                   {"keys", "and values, of a head", {}, "queries"},
                   {"dim", "elements of a query, a key and a value", {}, "64"},
                   {"mask",
                    "causal: no query sees keys behind it; given: an input that is added to scores",
                    {"none", "causal", "given"},
                    "none"},
                   // With f64, IREE's attention has its scale in f32.
                   dtype_key({"f32", "f16", "bf16"})},
          .make = make_attention,
          .check = check_attention};
}

}  // namespace assay
