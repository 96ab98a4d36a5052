#include "workload/operation_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "op/product.h"

namespace assay {
namespace {

uint64_t bytes_in(const TensorSpec& spec) { return spec.elements() * bytes_of(spec.dtype); }

// "_max", "_dynamicm": the words that tell it from others of its sizes and types. What is usual is
// not said, nor the layout of what has it in the names of its tensors.
std::string words_of(const OpWorkload& workload, bool says_layout) {
  std::string words;
  for (const OpKey& key : workload.operation->keys) {
    if (key.words.empty() || key.name == "dtype" || (key.name == "layout" && !says_layout))
      continue;
    const std::string& word = workload.arguments.word(key.name);
    if (word == key.otherwise) continue;
    words += key.name == kDynamicKey ? fmt::format("_{}{}", key.name, word)
             : word == "yes"         ? fmt::format("_{}", key.name)
                                     : "_" + word;
  }
  return words;
}

}  // namespace

OperationFacts facts_of(const OpWorkload& workload, const OpProgram& program) {
  OperationFacts facts;
  facts.kind = workload.operation->name;
  std::vector<std::string> sizes;
  for (const auto& [key, value] : workload.arguments.all()) {
    facts.arguments.emplace_back(key, text_of(value));
    if (std::holds_alternative<int64_t>(value)) sizes.push_back(text_of(value));
  }
  const auto& factors = workload.operation->factors;
  const Layout layout = layout_of(workload.arguments);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const bool is_transposed = factors && ((i == factors->first && is_a_transposed(layout)) ||
                                           (i == factors->second && is_b_transposed(layout)));
    facts.tensors.push_back(classic_tensor(program.inputs[i].dtype, is_transposed));
    facts.bytes += bytes_in(program.inputs[i]);
  }
  // An index says nothing of what is computed.
  for (const TensorSpec& input : program.inputs)
    if (facts.type.empty() ||
        (is_floating(input.dtype) && facts.type == to_word(kDtypeWords, Dtype::i64)))
      facts.type = to_word(kDtypeWords, input.dtype);
  for (const TensorSpec& output : program.outputs) {
    facts.tensors.push_back(classic_tensor(output.dtype, false));
    facts.bytes += bytes_in(output);
  }
  facts.bytes = program.bytes.value_or(facts.bytes);
  // Of kinds that the profiler had none of, in its manner.
  facts.name = workload.classic_name();
  const bool is_new = facts.name.empty();
  if (is_new)
    facts.name =
        fmt::format("{}_{}_{}", facts.kind, fmt::join(sizes, "x"), fmt::join(facts.tensors, "_"));
  facts.name += words_of(workload, is_new && !factors);
  if (program.flops > 0) facts.flops = static_cast<int64_t>(program.flops);
  return facts;
}

}  // namespace assay
