// A problem at one size, computed again and again with other inputs and parameters: what lint.h
// learns from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/flaws.h"
#include "verify/oracle.h"
#include "verify/random.h"
#include "verify/round_memory.h"

namespace assay {

class Probe {
 public:
  // Of the oracle's description as it is now. `unit`: the unit roundoff of the precision.
  static Step<Probe> create(Oracle& oracle, const RandomStream& random, double unit,
                            bool in_double);

  // Draws model and inputs, computes, and takes the results into account. The first draw is
  // computed twice.
  Step<void> sample();

  // Results as they are named to people, and what each is over all samples.
  struct Seen {
    std::string name;
    ResultValues values;
    std::optional<size_t> changed_input;   // whose memory it is
    std::vector<size_t> identical_inputs;  // so far
  };
  const std::vector<Seen>& seen() const { return seen_; }
  bool draws() const { return draws_; }      // random numbers, in forward
  bool differs() const { return differs_; }  // for the same arguments, more than rounding
  const std::string& no_double() const { return no_double_; }

  // Whether no result of the last sample changes with an input, or with a parameter, alone; null
  // where there is no other value to try.
  Step<std::optional<bool>> ignores_input(size_t input);
  Step<std::optional<bool>> ignores_state(size_t tensor);

 private:
  Probe(Oracle& oracle, const RandomStream& random, double unit, bool in_double, RoundMemory memory,
        SharedTensors state);
  Step<void> draw(const RandomStream& stream);
  Step<void> draw_input(size_t input, const RandomStream& stream, const SharedTensors* computed);
  Step<std::optional<SharedTensors>> computed_inputs(const RandomStream& stream);
  Step<Computed> compute();
  Step<bool> moves();
  void look_for_identity();
  void keep_results();
  bool results_differ() const;

  Oracle* oracle_;
  RandomStream random_;
  double unit_;
  bool in_double_;
  RoundMemory memory_;
  SharedTensors state_;
  std::vector<Seen> seen_;
  size_t samples_ = 0;
  bool draws_ = false, differs_ = false;
  std::string no_double_;
  std::vector<std::vector<std::byte>> kept_;  // results of the last sample
};

}  // namespace assay
