#include "engine/judging.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "judge/judge.h"

namespace assay {
namespace {

class Quiet {
 public:
  explicit Quiet(QuietGate& gate) : gate_(gate) {}
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { gate_.leave(); }

 private:
  QuietGate& gate_;
};

std::vector<std::string> labels_of(const StageRecord& verified) {
  std::vector<std::string> labels;
  for (const Json& label : verified.evidence.value("labels", Json::array()))
    if (label.is_string()) labels.push_back(label.get<std::string>());
  return labels;
}

bool is_labelled(const Timing& timing, const SpeedRule& rule) {
  return std::ranges::find(timing.labels, rule.name) != timing.labels.end();
}

bool is_accepted(const Verified& verified) {
  return !verified.stages.empty() && verified.stages.back().stage == Stage::verify &&
         verdict_of(verified.stages) == Verdict::accepted;
}

}  // namespace

Baseline baseline_for(const VerifyJob& job, std::string author, const Candidate& candidate) {
  Baseline baseline{std::move(author), job};
  baseline.job.kind = candidate.kind;
  baseline.job.own_model = candidate.own_model;
  baseline.job.candidate_path = candidate.path.empty() ? job.problem_path : candidate.shown_path();
  baseline.job.candidate = job.problem;
  return baseline;
}

Result<Judging> judge_candidate(const JudgingJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  Judging judging;
  ASSAY_ASSIGN(judging.verified, verify(job.verify, tools, children, memory, libraries));
  if (!is_accepted(judging.verified)) return judging;
  std::vector<StageRecord>& stages = judging.verified.stages;
  const std::vector<std::string> labels = labels_of(stages.back());
  if (auto rejected = rejected_for_labels(labels, job.judge.severities)) {
    rejected->evidence = std::move(stages.back().evidence);
    stages.back() = std::move(*rejected);
    return judging;
  }
  if (job.baselines.empty()) return judging;

  MeasureJob timed{job.verify, job.baselines, job.judge.calibration.has_value(), job.timing};
  timed.candidate.seed = judging.verified.seed;  // of the attempt: it draws all again
  ASSAY_TRY(quiet.enter());
  const Quiet entered(quiet);
  ASSAY_ASSIGN(Measured measured, measure(timed, tools, children, memory, libraries));
  const bool is_timed = measured.stage.status == StageStatus::ok;
  stages.push_back(measured.stage);
  if (is_timed) {
    Judged judged = judge(measured, labels, job.judge);
    if (is_labelled(judged.timing, kSuspicious)) {
      // Under another seed.
      ASSAY_ASSIGN(Verified again, verify(job.verify, tools, children, memory, libraries));
      if (!is_accepted(again)) return Judging{std::move(again)};
    }
    const bool is_rejected = judged.stage.status != StageStatus::ok;
    stages.push_back(std::move(judged.stage));
    if (!is_rejected) judging.timing = std::move(judged.timing);
  }
  judging.windows = std::move(measured.windows);
  return judging;
}

}  // namespace assay
