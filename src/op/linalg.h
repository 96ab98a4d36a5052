// Programs in linalg on tensors, for the operations whose form is not left to the exporter. Sums of
// f16 and bf16 are formed in f32, those of i8 in i32, and rounded once.
#pragma once

#include <string>
#include <vector>

#include "model/tensor.h"

namespace assay {

// A value of the program: its name there, and what it is.
struct LinalgValue {
  std::string name;
  TensorSpec spec;
};

// Products, summed over some of the loops: what matrix products and convolutions are.
struct SumOfProducts {
  std::vector<std::string> loops;  // "i", "j", "k": those of the result in its order, then the sums
  std::vector<int64_t> result;     // its shape: of the first loops
  std::string a, b;                // where each loop's step finds its factors: "i, k", "y * 2 + p"
};

// Where sums of products of this type are formed.
Dtype sum_type(Dtype factor);

// Writes a function `main`, statement by statement.
class LinalgProgram {
 public:
  // The next argument of the function.
  LinalgValue argument(const TensorSpec& spec);

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
  LinalgValue made(const std::string& statement, TensorSpec spec);
  LinalgValue zeros(const TensorSpec& spec);
  std::string zero(Dtype dtype);

  std::vector<LinalgValue> arguments_;
  std::string body_;
  int next_ = 0;
};

}  // namespace assay
