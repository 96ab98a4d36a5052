// Launches of candidates in torch that say which operators their calls have.
#include "base/units.h"
#include "run/outcome.h"
#include "verify/launch.h"

namespace assay {
namespace {

constexpr uint64_t kMostOperatorBytes = uint64_t{64} << 20;

}  // namespace

Step<std::string> Launch::operators() {
  ASSAY_TRY(reference_->expect({.family = Family::own}));
  // It is called some dozens of times, at most for a second or two where a call is short.
  const int64_t limit_ns = context_.job.timeout_ns;
  ASSAY_ASSIGN(const Window window, runner_->window(limit_ns));
  ASSAY_TRY(check_window(window, limit_ns));
  ASSAY_ASSIGN(printed_before_, end());
  ASSAY_ASSIGN(auto written, read_written(kMostOperatorBytes));
  if (written) return std::move(*written);
  return std::unexpected(Stop(failed_stage(
      Stage::verify, FailureClass::protocol,
      "what it says of its operators is larger than " + format_bytes(kMostOperatorBytes))));
}

}  // namespace assay
