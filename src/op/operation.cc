#include "op/operation.h"

#include <algorithm>
#include <cassert>

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

namespace {

const OpArguments::Value& value_of(const OpArguments& arguments, std::string_view key) {
  auto found =
      std::ranges::find(arguments.all(), key, [](const auto& entry) { return entry.first; });
  assert(found != arguments.all().end());
  return found->second;
}

}  // namespace

int64_t OpArguments::number(std::string_view key) const {
  return std::get<int64_t>(value_of(*this, key));
}

const std::string& OpArguments::word(std::string_view key) const {
  return std::get<std::string>(value_of(*this, key));
}

std::span<const Operation> operations() {
  static const std::vector<Operation> all{matmul_operation(), softmax_operation()};
  return all;
}

Result<const Operation*> find_operation(std::string_view name) {
  std::vector<std::string> known;
  for (const Operation& operation : operations()) {
    if (operation.name == name) return &operation;
    known.emplace_back(operation.name);
  }
  return error(Code::not_found,
               "there is no operation '" + std::string(name) + "'" + suggestion(name, known));
}

}  // namespace assay
