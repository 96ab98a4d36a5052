#include "verify/other_check.h"

#include <algorithm>
#include <array>

#include "run/outcome.h"

namespace assay {
namespace {

// What comes to the same however it is called.
bool breaks_for_all(const StageRecord& ours) {
  constexpr std::array kAlways{FailureClass::load, FailureClass::setup, FailureClass::build,
                               FailureClass::timeout};
  return ours.failure && std::ranges::find(kAlways, *ours.failure) != kAlways.end();
}

// What has been tried.
struct Tried {
  int passed = 0;
  bool is_built = false;  // the problem's own model
  std::string why;        // of the first that did not pass
};

Step<void> try_all(const OtherCheck& check, const Subject& subject, Tried& tried) {
  ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject));
  const Launch::Context context{subject, oracle};
  ASSAY_ASSIGN(Launch launch, Launch::prepare(context, {.seed = check.seed, .by_seed = true}));
  tried.is_built = true;
  for (int trial = 0; trial < check.trials; ++trial) {
    ASSAY_ASSIGN(std::string wrong,
                 launch.trial(check.seed, trial, check.tolerance_at(subject.job.precision)));
    tried.passed += wrong.empty() ? 1 : 0;
    if (tried.why.empty()) tried.why = std::move(wrong);
  }
  return {};
}

}  // namespace

Result<Json> other_check(const OtherCheck& check, const StageRecord& ours, const Subject& subject) {
  const bool judged = ours.status == StageStatus::ok || ours.status == StageStatus::rejected ||
                      ours.status == StageStatus::failed;
  if (!judged || !subject.job.stands_for_model()) return Json();
  Json said{{"name", check.name}, {"correct", false}, {"trials", check.trials}, {"passed", 0}};
  if (breaks_for_all(ours)) {
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
  Tried tried;
  if (Step<void> all = try_all(check, its, tried); !all) {
    auto& why = all.error().why;
    if (auto* failure = std::get_if<Error>(&why)) return std::unexpected(std::move(*failure));
    tried.why = std::get<StageRecord>(why).error;
    if (!tried.is_built) said["correct"] = nullptr;
  } else {
    said["correct"] = tried.passed == check.trials;
  }
  said["passed"] = tried.passed;
  if (!tried.why.empty()) said["why"] = tried.why;
  return said;
}

}  // namespace assay
