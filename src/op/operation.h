// Operations that assay generates itself: `op:matmul[m=64|128,dtype=f16]`. One file each;
// docs/hacking.md says how one is added.
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
#include "model/sum_shape.h"
#include "model/tensor.h"

namespace assay {

// One argument of an operation: a size, or one of some words.
struct OpKey {
  std::string_view name;
  std::string_view title{};               // for people
  std::vector<std::string_view> words{};  // that it can be; empty: a whole number
  // Its value when it isn't given. Of a size it may be another size's name: as large as that.
  std::string_view otherwise{};
  int64_t least = 1;  // of a size
  // Names leave it out where it has its usual value, so that they stay short.
  bool is_quiet = false;
};

// The values of all keys, in the operation's order.
class OpArguments {
 public:
  using Value = std::variant<int64_t, std::string>;
  void set(std::string_view key, Value value);
  const Value* find(std::string_view key) const;        // null: it has none
  int64_t number(std::string_view key) const;           // of a key that is a size
  const std::string& word(std::string_view key) const;  // of another
  bool is_on(std::string_view key) const { return word(key) == "yes"; }
  Dtype dtype() const;  // of the key "dtype", where that is a single type
  const std::vector<std::pair<std::string, Value>>& all() const { return values_; }

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

// As it is typed.
std::string text_of(const OpArguments::Value& value);

// The key that says which sizes a program does not know, and what it says where it knows all.
inline constexpr std::string_view kDynamicKey = "dynamic", kNoDynamicSize = "no";

// Of each input, the dimensions whose sizes a program does not know. Empty: it knows all.
using DynamicSizes = std::vector<std::vector<size_t>>;

// What an operation is with certain arguments.
struct OpProgram {
  std::vector<TensorSpec> inputs, outputs;
  // For the IREE compiler: linalg on tensors, a function `main`. "": the exporter makes it of what
  // stands in `python`. Filled in by make_program(), of Operation::write.
  std::string mlir;
  std::string python;  // a KernelBench-format file: its Model is the eager baseline
  // Where it is a product: how it is verified at a cost of n^2.
  std::optional<ProductShape> product;
  // Else, where each element of its result is a sum: what the bound of its roundings follows from.
  // None of convolutions: sound ways to compute them (Winograd's, by Fourier transforms) have other
  // roundings than those of the sum of an element.
  std::optional<SumShape> sum{};
  double flops = 0;  // useful ones; an addition and a multiplication are two
  // That a call has to move, where it does not need all of its inputs. Nothing: these and the
  // results, each once.
  std::optional<uint64_t> bytes{};
};

struct Operation {
  std::string_view name, title;
  std::string_view kind;  // what its level is called
  std::vector<OpKey> keys;
  OpProgram (*make)(const OpArguments& arguments);
  // The program for the IREE compiler, where its form is not left to the exporter. "": it is, with
  // these dynamic sizes. Null: it always is.
  std::string (*write)(const OpArguments& arguments, const OpProgram& program,
                       const DynamicSizes& dynamic) = nullptr;
  // Fails where the arguments do not go together. Null: they always do.
  Status (*check)(const OpArguments& arguments) = nullptr;
  // What IREE's dispatch profiler called it: "matmul_256x512x128_f16t_f16t_f16t". Null: it had no
  // such operation.
  std::string (*classic_name)(const OpArguments& arguments) = nullptr;
  // Which inputs are the factors of its product of two matrices, or of a matrix and a vector, the
  // left one first. Nothing: it is no such product, or one of more.
  std::optional<std::pair<size_t, size_t>> factors{};
};

// Each with the key kDynamicKey behind its own.
std::span<const Operation> operations();

// What an operation is, with its program where it has one of its own.
OpProgram make_program(const Operation& operation, const OpArguments& arguments);

// What that key says: "no", "all", or the key of a size, which are then the dimensions
// that follow it. Fails where no input does, or that size can be no other.
Result<DynamicSizes> dynamic_sizes(const Operation& operation, const OpArguments& arguments);
// Fails with the names there are.
Result<const Operation*> find_operation(std::string_view name);

}  // namespace assay
