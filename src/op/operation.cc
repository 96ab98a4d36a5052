#include "op/operation.h"

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

std::span<const Operation> operations() {
  static const std::vector<Operation> all = with_added_rows<Operation>(
      {matmul_operation(),      batch_matmul_operation(), matmul_splitk_operation(),
       matvec_operation(),      conv1d_operation(),       conv2d_operation(),
       conv3d_operation(),      pooling_operation(),      attention_operation(),
       softmax_operation(),     layernorm_operation(),    rmsnorm_operation(),
       reduction_operation(),   scan_operation(),         elementwise_operation(),
       transpose_operation(),   gather_operation(),       scatter_operation(),
       matmul_bias_operation(), conv2d_bias_operation(),  norm_matmul_operation()});
  return all;
}

Result<const Operation*> find_operation(std::string_view name) {
  if (const Operation* found = find_row(operations(), name)) return found;
  return error(Code::not_found, "there is no operation '" + std::string(name) + "'" +
                                    suggestion(name, names_of(operations())));
}

}  // namespace assay
