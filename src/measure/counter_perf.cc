// `perf stat` of calls of a candidate: what the processor, and the kernel below it, count.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "measure/counted_launch.h"
#include "measure/perf_output.h"

namespace assay {
namespace {

constexpr int64_t kPerfTimeoutNs = 30'000'000'000;
constexpr int64_t kCountNs = 2'000'000'000;
constexpr int kMostCounted = 200;

// It has rights to count, if not all that it is asked for: virtual machines have no counters of
// instructions, and count pages all the same.
std::string why_missing(const Machine& machine) {
  const std::string perf = machine.find_program("perf");
  if (perf.empty()) return "not found";
  auto said = machine.run({perf, "stat", "-x,", "-e", "page-faults", "true"}, "", kPerfTimeoutNs);
  if (!said) return said.error().message;
  if (said->status == 0) return "";
  return "it may not count here: " + said->errors.substr(0, said->errors.find('\n'));
}

// A kernel's process runs in windows and in nothing else, so all that is counted is of calls.
Step<Json> count_calls(Launch& launch) {
  ASSAY_TRY(launch.round({.family = Family::own}));  // what is done once is none of it
  ASSAY_ASSIGN(const int process, launch.process());
  Result<ProgramResult> said = error(Code::unavailable, "perf was not run");
  {
    const Machine& machine = this_machine();
    const std::jthread counting([&] {
      said = machine.run({machine.find_program("perf"), "stat", "-x,", "-e", kPerfEvents, "-p",
                          std::to_string(process), "--timeout", "20000"},
                         "", kPerfTimeoutNs);
    });
    // It says nothing when it has begun; calls before that are not counted, and weigh little.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const int64_t begin_ns = system_clock().now_ns();
    int calls = 0;
    Step<void> stopped;
    while (stopped && calls < kMostCounted && system_clock().now_ns() - begin_ns < kCountNs) {
      auto round = launch.round({.family = Family::own, .number = ++calls});
      if (!round) stopped = std::unexpected(std::move(round.error()));
    }
    auto ended = launch.end();  // perf ends with it
    if (!stopped) return std::unexpected(std::move(stopped.error()));
    if (!ended) return std::unexpected(Stop(std::move(ended.error())));
    if (calls == 0) return Json(nullptr);
  }
  if (!said || said->status != 0) return Json(nullptr);
  return read_perf_output(said->errors);
}

Result<Json> count_with_perf(const CountedCandidate& candidate) {
  auto counted = in_counted_launch(candidate, "counters", {.seed = 1}, count_calls);
  if (counted) return std::move(*counted);
  // Nothing where it cannot be called once more: it is accepted, and stays so.
  ASSAY_TRY(finding_of(std::move(counted.error())));
  return Json(nullptr);
}

}  // namespace

Counter perf_counter() {
  return {.name = "perf",
          .title = "instructions, cycles, misses and page faults of calls of a kernel",
          .missing = why_missing,
          .serves = [](const VerifyJob& job) { return job.form->is_kernel() && !job.gpu; },
          .count = count_with_perf,
          .words = perf_in_words};
}

}  // namespace assay
