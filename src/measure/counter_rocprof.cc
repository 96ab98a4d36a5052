// AMD's rocprofv3 around some calls of a candidate on a card of theirs.
#include <fmt/format.h>

#include "measure/counter.h"
#include "measure/profiled_launch.h"
#include "measure/rocprof_output.h"

namespace assay {
namespace {

Result<Json> count_once(const CountedCandidate& candidate,
                        const std::vector<std::string>& counters) {
  Profiler profiler{.program = this_machine().find_program(kRocprof),
                    .options = {"--kernel-trace"},
                    .report = "*.db",
                    .reads = {},
                    .connects = false,
                    .calls = 11,
                    .complaint = nullptr};
  std::vector<std::string>& options = profiler.options;
  if (!counters.empty()) options.emplace_back("--pmc");
  options.insert(options.end(), counters.begin(), counters.end());
  options.insert(options.end(), {"--output-format", "rocpd", "-d", std::string(kReportFolder), "-o",
                                 "counted", "--"});
  ASSAY_ASSIGN(std::string report, profile_calls(candidate, profiler));
  return read_rocprof_output(std::move(report));
}

Result<Json> count_with_rocprof(const CountedCandidate& candidate) {
  auto counted = count_once(candidate, rocprof_counters());
  if (counted || counted.error().code == Code::interrupted) return counted;
  // Cards differ in what they count, and one that lacks one counter is asked for none: for times.
  auto timed = count_once(candidate, {});
  if (!timed) return counted;
  (*timed)["not_counted"] = counted.error().message;
  return timed;
}

}  // namespace

Counter rocprof_counter() {
  return {.name = kRocprof,
          .title = "how long kernels take on an AMD card, and what they take of it",
          .missing = [](const Machine& machine) { return not_found(machine, kRocprof); },
          .serves = [](const VerifyJob& job) { return is_called_on(job, kHipDevice); },
          .count = count_with_rocprof,
          .words = rocprof_in_words};
}

}  // namespace assay
