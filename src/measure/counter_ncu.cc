// NVIDIA's Nsight Compute around one call of a candidate on a card of theirs.
#include "measure/counter.h"
#include "measure/ncu_output.h"
#include "measure/profiled_launch.h"

namespace assay {
namespace {

constexpr const char* kNcu = "ncu";

// It calls each kernel some ten times, so a call with very many of them would take for ever.
constexpr const char* kMostOfThem = "200";

Result<Json> count_with_ncu(const CountedCandidate& candidate) {
  const Profiler profiler{
      .program = this_machine().find_program(kNcu),
      // Clocks are left as they are: they are of everybody who uses the card.
      .options = {"--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base",
                  "function", "--target-processes", "all", "--profile-from-start", "off",
                  "--launch-count", kMostOfThem, "--clock-control", "none", "--log-file",
                  std::string(kReportFolder) + "/ncu.csv", "--metrics", ncu_metrics()},
      .report = "ncu.csv",
      .reads = {"/opt/nvidia/nsight-compute"},
      .connects = true,
      .calls = 2,  // of the first it is not told: that one sets up what others have
      .complaint = ncu_complaint};
  ASSAY_ASSIGN(const std::string report, profile_calls(candidate, profiler));
  return read_ncu_output(report);
}

}  // namespace

Counter ncu_counter() {
  return {.name = kNcu,
          .title = "how busy kernels keep the parts of an NVIDIA card, and what they take of it",
          .missing = [](const Machine& machine) { return not_found(machine, kNcu); },
          .serves = [](const VerifyJob& job) { return is_called_on(job, kCudaDevice); },
          .count = count_with_ncu,
          .words = ncu_in_words};
}

}  // namespace assay
