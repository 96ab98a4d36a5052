#include "verify/other_check.h"

#include <algorithm>
#include <array>

#include "run/outcome.h"

namespace assay {
namespace {

// Whether others call wrong what ends so: not what only a limit of assay's has ended, nor what
// assay declines.
bool is_wrong(const StageRecord& end) {
  constexpr std::array kLimits{FailureClass::out_of_memory, FailureClass::disk_full,
                               FailureClass::output_limit};
  if (end.failure && std::ranges::find(kLimits, *end.failure) != kLimits.end()) return false;
  return end.status == StageStatus::failed || end.status == StageStatus::rejected;
}

// What has been tried.
struct TriedChecks {
  int passed = 0;
  bool is_candidate = false;  // that is at work, and not the problem
  std::string why;            // of the first that did not pass
};

Step<void> try_all(const OtherCheck& check, const Subject& subject, TriedChecks& tried) {
  ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject));
  const ProblemDescription& problem = oracle.description();
  if (problem.outputs.size() != 1 || !problem.outputs.front().tensor ||
      !problem.output_tree.contains("leaf"))
    return std::unexpected(Stop(unsupported_stage(
        Stage::verify, "it returns something else than one tensor, which is compared")));
  const Launch::Context context{subject, oracle};
  ASSAY_ASSIGN(Launch launch, Launch::prepare(context, {.seed = check.seed,
                                                        .by_seed = true,
                                                        .writable_inputs = true,
                                                        .check = &check}));
  for (int trial = 0; trial < check.trials; ++trial) {
    tried.is_candidate = false;
    ASSAY_TRY(launch.draw_trial(trial));
    tried.is_candidate = true;
    ASSAY_ASSIGN(std::string wrong, launch.trial());
    tried.passed += wrong.empty() ? 1 : 0;
    if (tried.why.empty() && !wrong.empty())
      tried.why = "trial " + std::to_string(trial) + ": " + wrong;
  }
  return {};
}

}  // namespace

Result<Json> other_check(const OtherCheck& check, const StageRecord& ours, const Subject& subject) {
  const bool judged = ours.status == StageStatus::ok || ours.status == StageStatus::rejected ||
                      ours.status == StageStatus::failed;
  if (!judged || !subject.job.stands_for_model()) return Json();
  Json said{{"name", check.name}, {"correct", nullptr}, {"trials", check.trials}, {"passed", 0}};
  if (ours.stage != Stage::verify) {  // its extensions are the same there
    if (is_wrong(ours)) said["correct"] = false;
    said["why"] = ours.error;
    return said;
  }
  VerifyJob job = subject.job;
  job.mode = check.mode;
  const Subject its{job,
                    subject.tools,
                    subject.children,
                    subject.random,
                    subject.candidate_fd,
                    subject.extensions};
  TriedChecks tried;
  if (Step<void> all = try_all(check, its, tried); !all) {
    auto& why = all.error().why;
    if (auto* failure = std::get_if<Error>(&why)) return std::unexpected(std::move(*failure));
    const auto& end = std::get<StageRecord>(why);
    const bool is_known = !tried.why.empty() || (tried.is_candidate && is_wrong(end));
    if (is_known) said["correct"] = false;
    if (tried.why.empty()) tried.why = tried.is_candidate ? end.error : "the problem: " + end.error;
  } else {
    said["correct"] = tried.passed == check.trials;
  }
  said["passed"] = tried.passed;
  if (!tried.why.empty()) said["why"] = tried.why;
  return said;
}

}  // namespace assay
