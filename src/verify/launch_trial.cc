// A call as others check it (other_check.h).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "run/outcome.h"
#include "verify/elements.h"
#include "verify/launch.h"

namespace assay {

Step<void> Launch::draw_trial(int number) {
  const ProblemDescription& problem = context_.oracle.description();
  ASSAY_ASSIGN(SharedTensors drawn, room_for_inputs(problem));
  ASSAY_TRY(context_.oracle.draw_trial(setting_.check->seed, number, drawn));
  RandomStream edges = context_.random.named(fmt::format("graphs of trial {}", number));
  size_t next = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const Leaf& leaf = problem.inputs[i];
    if (!leaf.tensor) continue;
    std::span<std::byte> place = memory().input(i);
    std::ranges::copy(drawn.tensor(next++), place.begin());
    keep_domain(*leaf.tensor, leaf.domain, edges.named(fmt::format("input {}", i)), place.data());
  }
  Oracle::Computation what = memory().computation(problem);
  what.in_double = false;
  ASSAY_TRY(context_.oracle.compute(what));
  size_t left = memory().outputs.count();  // behind the results
  for (size_t input : problem.mutated_inputs) {
    const TensorSpec& spec = *problem.inputs[input].tensor;
    scatter(spec, memory().input(input).data(), 0, spec.elements(),
            memory().baseline.tensor(left++).data());
  }
  return {};
}

Step<std::string> Launch::trial() {
  if (!is_started()) ASSAY_TRY(start_runner());
  // Where the problem returns memory of an input, others compare with what is there at the end.
  const std::optional<size_t> aliased = context_.oracle.description().outputs.front().aliased_input;
  std::vector<std::byte> before;
  if (aliased) std::ranges::copy(memory().input(*aliased), std::back_inserter(before));
  const int64_t limit_ns = context_.job.timeout_ns;
  ASSAY_ASSIGN(Window window, runner_->window(limit_ns));
  ASSAY_TRY(check_window(window, limit_ns));
  if (aliased && !std::ranges::equal(memory().input(*aliased), before))
    return std::unexpected(Stop(unsupported_stage(
        Stage::verify,
        fmt::format("it writes to input {}, in which the problem's own result lies", *aliased))));
  return std::move(window.text);
}

}  // namespace assay
