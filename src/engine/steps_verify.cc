// The steps of a candidate that is to be verified.
#include <utility>

#include "author/files_beside.h"
#include "engine/steps.h"
#include "run/outcome.h"

namespace assay {

Result<std::optional<JudgingJob>> Steps::make_judging_job(Task& task) {
  Task::Candidacy& candidacy = *task.candidacy;
  const Candidate& candidate = candidacy.planned.candidate;
  VerifyJob job;
  job.problem_path = task.lane->subject.path;
  job.problem = task.lane->source;
  job.kind = candidate.kind;
  job.own_model = candidate.own_model;
  job.candidate_path = candidate.path.empty() ? job.problem_path : candidate.shown_path();
  if (candidate.kind == CandidateKind::artifact) job.program = candidacy.compiled.program;
  if (task.lane->lane.workload->is_generated()) {
    ASSAY_ASSIGN(OpProgram program, generated_program(*task.lane->lane.workload));
    job.product = program.product;
  }
  job.mode = request_.settings.mode;
  job.precision = task.lane->subject.precision;
  job.threads = request_.settings.threads;
  job.timeout_ns = request_.settings.timeout_ns;
  job.memory_bytes = request_.settings.memory_bytes;
  job.seed = request_.seed;
  if (candidate.kind != CandidateKind::artifact) job.gpu = candidacy.planned.target->gpu;
  job.smoke = !request_.settings.until || *request_.settings.until > Stage::compile;
  job.phases = request_.settings.phases;
  auto end_at = [&](StageRecord record) -> Result<std::optional<JudgingJob>> {
    Verified verified;
    verified.stages.push_back(std::move(record));
    ASSAY_TRY(take_judged(std::move(task), {std::move(verified)}));
    return std::optional<JudgingJob>{};
  };
  if (!candidate.why_none.empty())
    return end_at(not_loaded(job, "no candidate: " + candidate.why_none));
  auto bytes = candidate.kind == CandidateKind::artifact
                   ? world_.cache.read_object(candidacy.compiled.artifact)
                   : bytes_of(candidate, job.problem);
  if (!bytes) return end_at(not_judged_stage(Stage::verify, bytes.error().message));
  job.candidate = std::move(*bytes);
  auto beside = files_beside(world_.disk, candidate, job.candidate);
  if (!beside) return end_at(not_loaded(job, beside.error().message));
  job.beside = std::move(*beside);
  JudgingJob judging{std::move(job)};
  judging.judge = tools_.judge;
  if (const auto& timing = request_.settings.timing; timing && !judging.verify.gpu) {
    auto baselines = baselines_of(candidacy, judging.verify);
    if (!baselines) return end_at(not_judged_stage(Stage::verify, baselines.error().message));
    judging.baselines = std::move(*baselines);
    judging.timing = *timing;
    judging.comparisons = candidacy.planned.comparisons;
  }
  return judging;
}

Result<std::string> Steps::bytes_of(const Candidate& candidate, const std::string& problem) const {
  if (candidate.path.empty()) return problem;
  if (candidate.code) return *candidate.code;
  return world_.disk.read(candidate.path);
}

Result<std::vector<Baseline>> Steps::baselines_of(const Task::Candidacy& candidacy,
                                                  const VerifyJob& job) const {
  const Task::Compiled& compiled = candidacy.compiled;
  std::vector<Baseline> baselines;
  for (const PlannedBaseline& each : candidacy.planned.baselines) {
    const Candidate& candidate = each.candidate;
    Baseline baseline = baseline_for(job, each.author, candidate);
    const bool is_artifact = candidate.kind == CandidateKind::artifact;
    baseline.unusable = is_artifact ? compiled.why_none : candidate.why_none;
    if (is_artifact) baseline.job.program = compiled.program;
    if (baseline.unusable.empty()) {
      ASSAY_ASSIGN(baseline.job.candidate, is_artifact ? world_.cache.read_object(compiled.artifact)
                                                       : bytes_of(candidate, job.problem));
      auto beside = files_beside(world_.disk, candidate, baseline.job.candidate);
      if (beside)
        baseline.job.beside = std::move(*beside);
      else
        baseline.unusable = beside.error().message;
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

Status Steps::take_judged(Task task, Judging judging) {
  Task::Candidacy& candidacy = *task.candidacy;
  Attempt& attempt = candidacy.planned.attempt;
  Verified& verified = judging.verified;
  attempt.isolation = verified.isolation;
  attempt.seed = verified.seed;
  attempt.timing = std::move(judging.timing);
  attempt.windows = std::move(judging.windows);
  for (StageRecord& stage : verified.stages) {
    name_limit(stage);
    candidacy.stages.push_back(std::move(stage));
  }
  for (const CompiledFile& file : verified.files) {
    ASSAY_ASSIGN(ArtifactRecord object, world_.cache.put_object(file.name, file.bytes));
    candidacy.artifacts.push_back(std::move(object));
  }
  return recorder_.finish(std::move(attempt), std::move(candidacy.stages),
                          std::move(candidacy.artifacts));
}

}  // namespace assay
