// What torch itself says of the operators of a candidate in torch: of eager, or of a file in
// Python.
#include "measure/counted_launch.h"
#include "measure/operator_times.h"

namespace assay {
namespace {

// What torch's compiler makes has no operators of torch's; on a card, operators are only queued.
bool is_in_torch(const VerifyJob& job) {
  return job.form->is_model() && !job.may_compile() && !is_compiled(job.own_model) && !job.gpu &&
         !job.on_card;
}

Step<Json> count_operators_of(Launch& launch) {
  ASSAY_ASSIGN(const std::string written, launch.operators());
  const auto times = read_operator_times(written);
  return times ? with_one_call(*times) : Json(nullptr);
}

// In the candidate's jail, of a process of its own: nothing that is judged comes from there.
Result<Json> count_operators(const CountedCandidate& candidate) {
  auto counted =
      in_counted_launch(candidate, "operators", {.seed = 1, .operators = true}, count_operators_of);
  if (counted) return std::move(*counted);
  ASSAY_ASSIGN(const StageRecord finding, finding_of(std::move(counted.error())));
  return Json{{"failed", finding.error}};
}

}  // namespace

Counter operator_counter() {
  return {.name = "torch",
          .title = "how long each of torch's operators takes in a call of a model in Python",
          .missing = [](const Machine&) { return std::string(); },
          .serves = is_in_torch,
          .count = count_operators,
          .words = parts_in_words};
}

}  // namespace assay
