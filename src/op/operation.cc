#include "op/operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "base/rows.h"
#include "base/words.h"
#include "op/all.h"

namespace assay {

void OpArguments::set(std::string_view key, Value value) {
  for (auto& [name, held] : values_)
    if (name == key) {
      held = std::move(value);
      return;
    }
  values_.emplace_back(std::string(key), std::move(value));
}

const OpArguments::Value* OpArguments::find(std::string_view key) const {
  for (const auto& [name, value] : values_)
    if (name == key) return &value;
  return nullptr;
}

int64_t OpArguments::number(std::string_view key) const {
  const Value* value = find(key);
  assert(value);
  return std::get<int64_t>(*value);
}

const std::string& OpArguments::word(std::string_view key) const {
  const Value* value = find(key);
  assert(value);
  return std::get<std::string>(*value);
}

std::string text_of(const OpArguments::Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Dtype OpArguments::dtype() const { return *from_word(kDtypeWords, word("dtype")); }

namespace {

constexpr std::string_view kAll = "all";

// Its words are those sizes of the operation that stand in its names: others, such as strides, are
// part of what it computes.
OpKey dynamic_key(const std::vector<OpKey>& keys) {
  OpKey key{kDynamicKey,
            "which sizes a program does not know before it runs",
            {kNoDynamicSize, kAll},
            kNoDynamicSize};
  for (const OpKey& each : keys)
    if (each.words.empty() && !each.is_quiet) key.words.push_back(each.name);
  key.is_quiet = true;
  return key;
}

std::vector<Operation> with_dynamic(std::vector<Operation> all) {
  for (Operation& each : all) each.keys.push_back(dynamic_key(each.keys));
  return all;
}

// "[[0, 1], []]".
std::string as_python(const DynamicSizes& dynamic) {
  std::vector<std::string> inputs;
  for (const auto& dimensions : dynamic)
    inputs.push_back(fmt::format("[{}]", fmt::join(dimensions, ", ")));
  return fmt::format("[{}]", fmt::join(inputs, ", "));
}

DynamicSizes all_sizes(const std::vector<TensorSpec>& inputs) {
  DynamicSizes all(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t dimension = 0; dimension < inputs[i].shape.size(); ++dimension)
      all[i].push_back(dimension);
  return all;
}

// The dimensions in which two differ.
DynamicSizes differing(const std::vector<TensorSpec>& some, const std::vector<TensorSpec>& others) {
  DynamicSizes all(some.size());
  for (size_t i = 0; i < some.size(); ++i)
    for (size_t dimension = 0; dimension < some[i].shape.size(); ++dimension)
      if (some[i].shape[dimension] != others[i].shape[dimension]) all[i].push_back(dimension);
  return all;
}

}  // namespace

std::span<const Operation> operations() {
  static const std::vector<Operation> all = with_dynamic(with_added_rows<Operation>(
      {matmul_operation(),      batch_matmul_operation(), matmul_splitk_operation(),
       matvec_operation(),      conv1d_operation(),       conv2d_operation(),
       conv3d_operation(),      pooling_operation(),      attention_operation(),
       softmax_operation(),     layernorm_operation(),    rmsnorm_operation(),
       reduction_operation(),   scan_operation(),         elementwise_operation(),
       transpose_operation(),   gather_operation(),       scatter_operation(),
       matmul_bias_operation(), conv2d_bias_operation(),  norm_matmul_operation()}));
  return all;
}

OpProgram make_program(const Operation& operation, const OpArguments& arguments) {
  OpProgram program = operation.make(arguments);
  const auto dynamic = dynamic_sizes(operation, arguments);
  assert(dynamic);
  if (!dynamic->empty())
    program.python += fmt::format(
        "\n\ndef get_dynamic_sizes():\n"
        "    return {}\n",
        as_python(*dynamic));
  if (operation.write) program.mlir = operation.write(arguments, program, *dynamic);
  return program;
}

Result<DynamicSizes> dynamic_sizes(const Operation& operation, const OpArguments& arguments) {
  const auto* given = arguments.find(kDynamicKey);
  const std::string word = given ? text_of(*given) : std::string(kNoDynamicSize);
  if (word == kNoDynamicSize) return DynamicSizes{};
  const std::vector<TensorSpec> inputs = operation.make(arguments).inputs;
  if (word == kAll) return all_sizes(inputs);
  // What follows that size is what changes with it.
  const int64_t size = arguments.number(word);
  for (const int64_t other : {size * 2, size + 1}) {
    OpArguments changed = arguments;
    changed.set(word, other);
    if (operation.check && !operation.check(changed)) continue;
    DynamicSizes dynamic = differing(inputs, operation.make(changed).inputs);
    if (std::ranges::any_of(dynamic, [](const auto& each) { return !each.empty(); }))
      return dynamic;
    return error(Code::invalid_input, fmt::format("dynamic={}: no input has that size", word),
                 "name a size that an input has, or dynamic=all");
  }
  return error(
      Code::invalid_input,
      fmt::format("dynamic={0}: with these other arguments {0} can be {1} alone", word, size),
      "give other arguments, or dynamic=no");
}

Result<const Operation*> find_operation(std::string_view name) {
  if (const Operation* found = find_row(operations(), name)) return found;
  return error(Code::not_found, "there is no operation '" + std::string(name) + "'" +
                                    suggestion(name, names_of(operations())));
}

}  // namespace assay
