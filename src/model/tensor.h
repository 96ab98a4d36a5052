// What is known of a tensor without its values: element type, shape, and how it lies in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "base/words.h"

namespace assay {

// The element types that are verified, with the numbers of include/assay/kernel.h.
enum class Dtype { f64 = 1, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };
inline constexpr Word<Dtype> kDtypeWords[] = {
    {Dtype::f64, "f64"}, {Dtype::f32, "f32"},      {Dtype::f16, "f16"}, {Dtype::bf16, "bf16"},
    {Dtype::i64, "i64"}, {Dtype::i32, "i32"},      {Dtype::i16, "i16"}, {Dtype::i8, "i8"},
    {Dtype::u8, "u8"},   {Dtype::boolean, "bool"},
};

uint64_t bytes_of(Dtype dtype);  // of one element
bool is_floating(Dtype dtype);
// Half the distance from 1 to the next larger number: 2^-24 for f32. 0 for what is not floating.
double unit_roundoff(Dtype dtype);

struct TensorSpec {
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;    // elements per dimension, none negative
  std::vector<int64_t> strides;  // elements; never negative; empty: dense, in row-major order

  bool operator==(const TensorSpec&) const = default;

  uint64_t elements() const;  // product of the shape; 1 for a scalar
  bool is_dense() const;      // row-major, without gaps
  // From the first element to behind the last: what its memory must hold. 0 without elements.
  uint64_t span_bytes() const;
};

// {"dtype": "f32", "shape": [2, 3]} and, where it is not dense, "strides".
Json to_json(const TensorSpec& tensor);
// From a hostile process, too. Fails on more than 8 dimensions, and on what has more bytes than a
// 64-bit number counts.
inline constexpr size_t kMaxRank = 8;
Result<TensorSpec> tensor_from_json(const Json& json);

// For IREE's tools: "--input=4x8xf32=1", a tensor of ones. "" of what is none, but a number that is
// part of the program. `described` as in an export's evidence.
std::string ones_for_iree(const Json& described);

}  // namespace assay
