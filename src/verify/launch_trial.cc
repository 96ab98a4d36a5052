// A call as others check it (other_check.h).
#include <fmt/format.h>

#include <algorithm>

#include "verify/allclose.h"
#include "verify/evidence.h"
#include "verify/launch.h"

namespace assay {

Step<std::string> Launch::trial(uint32_t seed, int number, double tolerance) {
  const ProblemDescription& problem = context_.oracle.description();
  ASSAY_ASSIGN(SharedTensors drawn, room_for_inputs(problem));
  ASSAY_TRY(context_.oracle.draw_trial(seed, number, drawn));
  size_t next = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].tensor)
      std::ranges::copy(drawn.tensor(next++), memory().input(i).begin());
  Oracle::Computation what = memory().computation(problem);
  what.in_double = false;
  ASSAY_ASSIGN(Computed computed, context_.oracle.compute(what));
  baseline_ns_ = std::max(baseline_ns_, computed.baseline_ns);
  if (!is_started()) ASSAY_TRY(start_runner());
  poison_outputs(context_.random.named(fmt::format("trial {}", number)));
  const int64_t limit_ns = call_limit_ns();
  called_ = true;
  ASSAY_ASSIGN(Window window, runner_->window(limit_ns));
  ASSAY_TRY(check_window(window, limit_ns));
  const std::vector<JudgedResult> results = judged_results(problem, memory());
  for (size_t i = 0; i < results.size() && results[i].leaf != nullptr; ++i) {
    const Closeness close =
        closeness(results[i].spec, memory().baseline.tensor(i), results[i].candidate, tolerance);
    if (close.first_beyond)
      return fmt::format("trial {}: {} at {} is not close, the largest distance is {:.3g}", number,
                         results[i].name, place(results[i].spec.shape, *close.first_beyond),
                         close.largest);
  }
  return std::string();
}

}  // namespace assay
