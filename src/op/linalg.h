// Programs in linalg on tensors, for the operations whose form is not left to the exporter. Sums of
// f16 and bf16 are formed in f32, those of i8 in i32, and rounded once.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/tensor.h"
#include "op/operation.h"

namespace assay {

// A value of the program: its name there, and what it is when the program runs.
struct LinalgValue {
  std::string name;
  TensorSpec spec;
  // The names of sizes that the program does not know, by dimension; "": it knows that one. Empty:
  // it knows all.
  std::vector<std::string> sizes{};
};

// Products, summed over some of the loops: what matrix products and convolutions are.
struct SumOfProducts {
  std::vector<std::string> loops;  // "i", "j", "k": those of the result in its order, then the sums
  std::vector<int64_t> result;     // its shape: of the first loops
  // Where each loop's step finds its factors, by dimension: "i", "k"; "y * 2 + p".
  std::vector<std::string> a, b;
  // Names of the result's sizes that are no size of a factor, by loop: of "y".
  std::map<std::string, std::string> sizes{};
};

// Where sums of products of this type are formed.
Dtype sum_type(Dtype factor);

// Writes a function `main`, statement by statement.
class LinalgProgram {
 public:
  // `dynamic`: of each argument, the dimensions whose sizes are known only when it runs.
  explicit LinalgProgram(DynamicSizes dynamic = {}) : dynamic_(std::move(dynamic)) {}

  // The next argument of the function.
  LinalgValue argument(const TensorSpec& spec);

  // A size, worked out of others: of an affine expression in which {0}, {1}, ... stand for sizes of
  // values by their dimensions. "": the program knows all of these.
  struct SizeOf {
    const LinalgValue& value;
    size_t dimension;
  };
  std::string worked_out(const std::string& expression, const std::vector<SizeOf>& sizes);

  // Of sum_type().
  LinalgValue sum_of_products(const SumOfProducts& what, const LinalgValue& a,
                              const LinalgValue& b);
  // Of two values of one type and shape, element by element. A sum of products that began with an
  // argument, and not with zeros, would be written over it by IREE 3.13.
  LinalgValue added(const LinalgValue& a, const LinalgValue& b);
  // Summed over its first dimension.
  LinalgValue sum_of_first(const LinalgValue& value);
  // Each element in another type, rounded once.
  LinalgValue converted(const LinalgValue& value, Dtype dtype);
  // With zeros around: so many before and behind, in each dimension.
  LinalgValue padded(const LinalgValue& value, const std::vector<int64_t>& by);
  // The dimension `at` as two, the first of `outer`; and two as one.
  LinalgValue split(const LinalgValue& value, size_t at, int64_t outer);
  LinalgValue joined(const LinalgValue& value, size_t at);

  // The whole text, of a function that returns this.
  std::string returning(const LinalgValue& result) const;

 private:
  LinalgValue made(const std::string& statement, TensorSpec spec,
                   std::vector<std::string> sizes = {});
  LinalgValue room(const TensorSpec& spec, const std::vector<std::string>& sizes);
  LinalgValue zeros(const TensorSpec& spec, const std::vector<std::string>& sizes);
  std::string zero(Dtype dtype);

  DynamicSizes dynamic_;
  std::vector<LinalgValue> arguments_;
  std::string body_;
  int next_ = 0;
};

}  // namespace assay
