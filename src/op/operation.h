// Operations that assay generates itself: `op:matmul[m=64|128,dtype=f16]`. One file each; to add
// one, write it beside matmul.cc and name it in operation.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "model/product_shape.h"
#include "model/tensor.h"

namespace assay {

// One argument of an operation: a size, or one of some words.
struct OpKey {
  std::string_view name;
  std::string_view title;               // for people
  std::vector<std::string_view> words;  // that it can be; empty: a whole number above 0
  std::string_view otherwise;           // its value when it isn't given
};

// The values of all keys, in the operation's order.
class OpArguments {
 public:
  using Value = std::variant<int64_t, std::string>;
  void set(std::string_view key, Value value);
  int64_t number(std::string_view key) const;           // of a key that is a size
  const std::string& word(std::string_view key) const;  // of another
  const std::vector<std::pair<std::string, Value>>& all() const { return values_; }

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

// What an operation is with certain arguments.
struct OpProgram {
  std::vector<TensorSpec> inputs, outputs;
  std::string mlir;    // for the IREE compiler: linalg on tensors, a function `main`
  std::string python;  // a KernelBench-format file: its Model is the eager baseline
  // Where it is a product: how it is verified at a cost of n^2.
  std::optional<ProductShape> product;
  double flops = 0;  // useful ones; an addition and a multiplication are two
};

struct Operation {
  std::string_view name, title;
  std::string_view kind;  // what its level is called
  std::vector<OpKey> keys;
  Result<OpProgram> (*make)(const OpArguments& arguments);
};

std::span<const Operation> operations();
// Fails with the names there are.
Result<const Operation*> find_operation(std::string_view name);

}  // namespace assay
