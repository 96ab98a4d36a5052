// What one round had, and what came of it, as numpy's files: for whoever wants to look at a
// mismatch with tools of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/reference.h"

namespace assay {

inline constexpr std::string_view kDumpedWeights = "weights.safetensors";

// A tensor as a .npy file; of bf16, which numpy has not, as f32.
std::string npy_of(const TensorSpec& spec, const std::byte* tensor);

// Tensors as a file of safetensors, by their names.
std::string safetensors_of(std::span<const StateTensor> named, const SharedTensors& tensors);

class Dump {
 public:
  // Into this folder; "": nothing is kept, and nothing written.
  explicit Dump(std::string folder) : folder_(std::move(folder)) {}

  // What the model holds; it is read when all is written.
  void take_state(const ProblemDescription& problem, const SharedTensors& state);
  // Before the call, which may change them.
  void take_inputs(const ProblemDescription& problem, const RoundMemory& memory);
  // Behind it, and before it is judged, which changes what is expected. `is_whole`: that is in
  // memory, in double and for all of the problem.
  void take_results(const ProblemDescription& problem, const RoundMemory& memory, bool is_whole);
  // input_0.npy, got_output_0.npy, expected_output_0.npy, torch_output_0.npy, and so on; and
  // weights.safetensors, where the model holds something.
  Status write() const;

 private:
  std::string folder_;
  const std::vector<StateTensor>* named_ = nullptr;
  const SharedTensors* state_ = nullptr;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace assay
