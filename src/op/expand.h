// The grammar of generated workloads, from the command line:
//
//   op:matmul                              with what an operation takes when nothing is said
//   op:matmul[m=64|97,n=128,dtype=f16]     a list: each of them
//   op:matmul[m=64:128:16]                 from 64 to 128, the end included, in steps of 16 (or 1)
//   op:matmul[m=2^6:2^10|1000]             64, 128, 256, 512, 1024, and 1000
//   op:matmul[(m,n)=(64,97)|(128,31)]      several keys at once: these two, and no others
//   op:matmul[file=shapes.csv,dtype=f16]   the rows of a file (shapes.h); what else stands there
//   op:*[set=resnet50]                     holds for each. A set is a file that comes with assay
#pragma once

#include <functional>
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
  std::string classic_name() const;  // "" where IREE's dispatch profiler had none
};

// The text of a file of shapes; `is_set`: of one that comes with assay.
using ReadShapes = std::function<Result<std::string>(const std::string& name, bool is_set)>;

// What a text asks for, and assay has no operation for: a combination ("op:pooling[...]"), or the
// line of a file ("line 3 of shapes.txt").
struct LeftOut {
  std::string what;
  Error why;
};

struct OpSweep {
  std::vector<OpWorkload> workloads;
  std::vector<LeftOut> left_out;
};

// All combinations, in the order of rows of a file, and in each of the operation's keys, the last
// one changing fastest; each once. Fails on what is no such text, saying what is wrong at which
// character, and what there is; and where all would be left out.
Result<OpSweep> sweep_op(std::string_view text, const ReadShapes& read = {});
// The same, and fails where anything would be.
Result<std::vector<OpWorkload>> expand_op(std::string_view text, const ReadShapes& read = {});

}  // namespace assay
