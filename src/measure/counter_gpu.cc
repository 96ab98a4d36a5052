// Profilers of GPUs. No kernel runs on one yet, so none is counted: they are told to be here or
// not.
#include "measure/counter.h"

namespace assay {
namespace {

bool serves_nobody(const VerifyJob&) { return false; }
Result<Json> count_nothing(const CountedCandidate&) { return Json(nullptr); }
std::string no_words(const Json&) { return ""; }

}  // namespace

Counter ncu_counter() {
  return {.name = "ncu",
          .title = "NVIDIA's counters of a kernel; none runs here yet",
          .missing = [](const Machine& machine) { return not_found(machine, "ncu"); },
          .serves = serves_nobody,
          .count = count_nothing,
          .words = no_words};
}

Counter rocprof_counter() {
  return {.name = "rocprofv3",
          .title = "AMD's counters of a kernel; none runs here yet",
          .missing = [](const Machine& machine) { return not_found(machine, "rocprofv3"); },
          .serves = serves_nobody,
          .count = count_nothing,
          .words = no_words};
}

}  // namespace assay
