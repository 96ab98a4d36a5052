#include "engine/judging.h"

#include <utility>

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

}  // namespace

Result<Judging> judge_candidate(const JudgingJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  Judging judging;
  ASSAY_ASSIGN(judging.verified, verify(job.verify, tools, children, memory, libraries));
  std::vector<StageRecord>& stages = judging.verified.stages;
  const bool is_accepted = !stages.empty() && stages.back().stage == Stage::verify &&
                           verdict_of(stages) == Verdict::accepted;
  if (!is_accepted || job.baselines.empty()) return judging;

  MeasureJob timed{job.verify, job.baselines, job.quick, job.budget_ns, job.cache};
  timed.candidate.seed = judging.verified.seed;  // of the attempt: it draws all again
  ASSAY_TRY(quiet.enter());
  const Quiet entered(quiet);
  ASSAY_ASSIGN(Measured measured, measure(timed, tools, children, memory, libraries));
  const bool is_timed = measured.stage.status == StageStatus::ok;
  stages.push_back(measured.stage);
  if (is_timed) {
    Judged judged = judge(measured, job.cache, job.verify.threads);
    stages.push_back(std::move(judged.stage));
    judging.timing = std::move(judged.timing);
  }
  judging.windows = std::move(measured.windows);
  return judging;
}

}  // namespace assay
