// The grammar of generated workloads, from the command line:
//
//   op:matmul                              with what an operation takes when nothing is said
//   op:matmul[m=64|97,n=128,dtype=f16]     a list: each of them
//   op:matmul[m=64:128:16]                 from 64 to 128, the end included, in steps of 16 (or 1)
//   op:matmul[m=2^6:2^10|1000]             64, 128, 256, 512, 1024, and 1000
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "op/operation.h"

namespace assay {

inline constexpr std::string_view kOpPrefix = "op:";
inline constexpr size_t kMostOpWorkloads = 100'000;
inline constexpr int64_t kLargestOpSize = int64_t{1} << 31;

// One operation with one value for each of its keys.
struct OpWorkload {
  const Operation* operation = nullptr;
  OpArguments arguments;

  std::string name() const;     // "matmul_m64_n128_k256_f32_nn": the same for the same arguments
  std::string spelled() const;  // "op:matmul[m=64,n=128,k=256,dtype=f32,layout=nn]"
};

// All combinations, in the order of the operation's keys, the last one changing fastest. Fails on
// what is no such text, saying what is wrong at which character, and what there is.
Result<std::vector<OpWorkload>> expand_op(std::string_view text);

}  // namespace assay
