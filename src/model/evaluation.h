// A verdict in the words of evaluators that call a candidate, time it, and write one result: what
// HipKittens' eval.py and KernelBench have keys for.
#pragma once

#include <optional>
#include <string>

#include "model/attempt.h"

namespace assay {

struct Evaluation {
  bool is_built = false;  // it loads, and whatever is to be built for it builds
  bool is_right = false;  // accepted
  // Of the round that decided, or, where none did, of the one on the problem's own inputs: against
  // the exact result, over all outputs. Nothing: nothing was compared.
  std::optional<double> max_diff{}, mean_diff{};
  std::optional<bool> has_nan{}, has_inf{};  // where the exact result is finite
  std::optional<double> reference_ms{}, candidate_ms{}, speedup{};  // of what was timed
  std::string error{};                                              // "": it is right
};

// Whether it loads and builds, as far as the record says.
bool is_built(const Attempt& attempt);
Evaluation evaluation_of(const Attempt& attempt);

// The keys that both have, with null for what is not known: compile_success, accuracy_pass,
// max_diff, mean_diff, has_nan, has_inf, ref_time_ms, new_time_ms, speedup, error.
Json to_json(const Evaluation& evaluation);

}  // namespace assay
