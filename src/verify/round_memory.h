#pragma once

#include <string>
#include <vector>

#include "run/shared_tensors.h"
#include "verify/compare.h"
#include "verify/oracle.h"

namespace assay {

// The tensors of one problem at one size: what goes into a window, what comes out, and what is
// right. One set serves all rounds of a launch, one after the other.
struct RoundMemory {
  SharedTensors inputs;   // the candidate may read
  SharedTensors inout;    // inputs that the problem changes: the candidate may write
  SharedTensors outputs;  // the candidate writes
  // Results, then changed inputs, in double where they are floating; then what results that are
  // picks point into.
  SharedTensors reference;
  SharedTensors baseline;  // the same as eager has them

  // Where an input lies: in `inputs` or in `inout`.
  struct Place {
    bool is_tensor = false, is_changed = false;
    size_t index = 0;
  };
  std::vector<Place> places;  // one per input

  // `zone_bytes` around each tensor that a candidate touches. `part`: reference and baseline have
  // room for so much of the problem, where it is computed in chunks. `slots`: of what a candidate
  // touches, for as many calls in one window. `expected`: of reference and baseline.
  static Result<RoundMemory> create(const ProblemDescription& problem, uint64_t zone_bytes,
                                    const ProblemDescription* part = nullptr, size_t slots = 1,
                                    size_t expected = 1);
  // Of one call: the same memory, which lasts as long as either.
  RoundMemory slot(size_t slot) const;

  const SharedTensors& memory_of(size_t input) const {
    return places[input].is_changed ? inout : inputs;
  }
  std::span<std::byte> input(size_t input) const {
    return memory_of(input).tensor(places[input].index);
  }
  // A result that is floating, in double.
  const double* exact(size_t output) const {
    return reinterpret_cast<const double*>(reference.tensor(output).data());
  }
  // So many elements of a candidate's result, with the first of what is right and of the
  // baseline's.
  Values values(size_t output, uint64_t elements, const std::byte* candidate) const;
  // What the n-th of the results that are picks points into.
  const double* key(size_t n) const { return exact(baseline.count() + n); }
  // The inputs as sheets and computations have them.
  Json input_layout(const ProblemDescription& problem) const;
  // What has the oracle compute everything of the problem, from here to here.
  Oracle::Computation computation(const ProblemDescription& problem) const;
};

// Place for all inputs that are tensors, in order, that Oracle::draw_inputs writes to.
Result<SharedTensors> room_for_inputs(const ProblemDescription& problem);

// One result that a window is judged by. Its place among these is that in `reference`.
struct JudgedResult {
  std::string name;            // "output 0", "input 2"
  const Leaf* leaf = nullptr;  // of an output
  TensorSpec spec;             // dense
  std::span<const std::byte> candidate;
  std::vector<std::byte> gathered;  // owns `candidate` where it had to be made dense
};
std::vector<JudgedResult> judged_results(const ProblemDescription& problem,
                                         const RoundMemory& memory);

}  // namespace assay
