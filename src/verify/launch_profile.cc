// Launches that a profiler runs around.
#include "verify/launch.h"

namespace assay {

Step<std::string> Launch::profile(int calls) {
  ASSAY_TRY(reference_->expect({.family = Family::own}));
  // A profiler calls each kernel again and again: verify's own limits are no measure of that.
  const int64_t limit_ns = context_.job.timeout_ns;
  for (int call = 0; call < calls; ++call) {
    ASSAY_ASSIGN(const Window window, runner_->window(limit_ns));
    ASSAY_TRY(check_window(window, limit_ns));
  }
  ASSAY_ASSIGN(const Ending ending, runner_->finish(limit_ns));
  runner_.reset();
  return ending.output;
}

}  // namespace assay
