// The steps of a candidate that is to be verified.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "author/author.h"
#include "author/files_beside.h"
#include "base/hash.h"
#include "compile/artifact.h"
#include "run/outcome.h"
#include "session/steps.h"
#include "verify/decide.h"

namespace assay {
namespace {

LintJob look_job(const Task& task) {
  const RunSettings& settings = task.terms().settings;
  return {task.lane->subject.path,      task.lane->workload.python, settings.mode,
          task.lane->subject.precision, settings.timeout_ns,        settings.memory_bytes};
}

// What an attempt was accepted by, behind so many stages that come again.
Verified as_verified_before(const Attempt& before, size_t come_again) {
  Verified verified{.stages = {}, .isolation = before.isolation, .seed = before.seed};
  for (size_t i = come_again; i < before.stages.size(); ++i) {
    if (before.stages[i].stage > Stage::verify) break;
    StageRecord& stage = verified.stages.emplace_back(before.stages[i]);
    stage.reused = true;
    stage.reuse = "taken from this run, at " + before.finished;
  }
  return verified;
}

// One of so many is timed by two runners.
constexpr int kSampledOf = 16;
bool is_in_sample(const std::string& attempt_id) {
  return std::stoi(sha256(attempt_id).substr(0, 4), nullptr, 16) % kSampledOf == 0;
}

DirectCall direct_call(const VerifyJob& job, const Json& dispatch) {
  auto none = [](std::string why) { return DirectCall{"", {}, std::move(why)}; };
  if (dispatch.is_string()) return none(dispatch.get<std::string>());
  if (!dispatch.is_object() || !dispatch.value("executable", Json()).is_string())
    return none("nobody looked whether it is one call when it was compiled");
  if (job.threads > 1) return none("it has several threads");
  for (const char* kept : {"state", "mutated_inputs"})
    if (!job.program.value(kept, Json::array()).empty())
      return none("its calls change what they are given");
  auto files = files_of_archive(job.candidate);
  if (!files) return none(files.error().message);
  const std::string executable = dispatch["executable"].get<std::string>();
  for (const ArchiveFile& file : *files)
    if (file.name == executable) return {std::string(file.bytes), dispatch};
  return none("its executable is not in the artifact");
}

// As the suite says, or else who collected the answers.
const std::string& difficulty_of(const SuiteTask& tests, const Candidate& candidate) {
  return tests.difficulty.empty() ? candidate.difficulty : tests.difficulty;
}

// An answer that ended before its tests were run is counted with its kernel all the same, so its
// last stage says which that is.
void tell_kernel(const SuiteTask& tests, const Candidate& candidate,
                 std::vector<StageRecord>& stages) {
  for (const StageRecord& stage : stages)
    if (stage.evidence.is_object() && stage.evidence.contains("suite")) return;
  stages.back().evidence["suite"] = {{"format", tests.format},
                                     {"difficulty", or_null(difficulty_of(tests, candidate))},
                                     {"category", or_null(tests.category)}};
}

// Which pass over the suite an answer is of: pass@k goes by that, and not by how many answers a
// kernel has.
void tell_pass(const PassOf& pass, std::vector<StageRecord>& stages) {
  if (pass.number == 0) return;
  for (StageRecord& stage : stages) {
    if (!stage.evidence.is_object() || !stage.evidence.contains("suite")) continue;
    Json& suite = stage.evidence["suite"];
    suite["pass"] = pass.number;
    suite["passes"] = pass.of;
    if (pass.is_repeat) suite["repeats"] = true;
  }
}

// Of a program that nobody says of what is right: its compile's record says what was found, and the
// attempt stays compiled.
void tell_agreement(const std::vector<StageRecord>& verified, StageRecord& compiled) {
  constexpr const char* kPlain = "a compile without optimization";
  compiled.evidence["agrees_with"] = Json::array();
  for (const StageRecord& stage : verified) {
    if (stage.stage != Stage::verify) continue;
    if (stage.status == StageStatus::ok)
      compiled.evidence["agrees_with"].push_back(kPlain);
    else if (stage.status == StageStatus::rejected)
      compiled.evidence["differs"] = fmt::format("from {}: {}", kPlain, stage.error);
    else
      compiled.evidence["not_compared"] = stage.error;
  }
}

}  // namespace

Result<std::optional<JudgingJob>> Steps::make_judging_job(Task& task) {
  Task::Candidacy& candidacy = *task.candidacy;
  const Candidate& candidate = candidacy.planned.candidate;
  const Terms& terms = task.terms();
  const RunSettings& settings = terms.settings;
  if (task.lane->lane.is_look) return std::optional(JudgingJob{.look = look_job(task)});
  VerifyJob job;
  job.problem_path = task.lane->subject.path;
  job.problem = task.lane->workload.python;
  job.weights = task.lane->workload.weights;
  job.form = candidate.form;
  job.own_model = candidate.own_model;
  job.candidate_path = candidate.path.empty() ? job.problem_path : candidate.shown_path();
  const Task::Compiled* own =
      candidate.form->is_artifact() ? &candidacy.compiled.at(candidacy.planned.target) : nullptr;
  if (own) {
    job.program = own->program;
    if (settings.counters) job.parameters = parameters_of(task.lane->mlir_text);
  }
  job.product = task.lane->workload.product;
  job.sum = task.lane->workload.sum;
  job.tests = task.lane->workload.tests;
  if (job.tests) job.tests->difficulty = std::string(difficulty_of(*job.tests, candidate));
  job.has_no_model = task.lane->workload.truth != Truth::problem;
  job.has_one_result = task.lane->workload.truth == Truth::saved && own != nullptr;
  job.mode = settings.mode;
  job.precision = task.lane->subject.precision;
  job.threads = settings.threads;
  job.timeout_ns = settings.timeout_ns;
  job.memory_bytes = settings.memory_bytes;
  job.seed = terms.seed;
  const Target& target = *candidacy.planned.target;
  // Tests of suites are not run on cards yet: their kernels are compiled for it, and interpreted.
  job.on_card = is_called_on_card(*candidate.form, target) && !job.tests;
  if (!candidate.form->is_artifact() && !job.on_card) job.gpu = target.gpu;
  job.smoke = !settings.until || *settings.until > Stage::compile;
  job.phases = settings.phases;
  for (const MayBeLabel& each : kMayBeLabels) {
    const auto set = tools_.judge.severities.find(to_word(kRuleWords, each.rule));
    if (set != tools_.judge.severities.end() && set->second == Effect::label)
      job.label_rules |= bit_of(each.rule);
  }
  auto end_at = [&](StageRecord record) -> Result<std::optional<JudgingJob>> {
    Verified verified;
    verified.stages.push_back(std::move(record));
    ASSAY_TRY(take_judged(std::move(task), {std::move(verified)}));
    return std::optional<JudgingJob>{};
  };
  auto leave = [&](Task left) -> Result<std::optional<JudgingJob>> {
    ASSAY_TRY(take_judged(std::move(left), {}));
    return std::optional<JudgingJob>{};
  };
  if (!candidate.why_none.empty())
    return end_at(not_loaded(job, std::string(kNoCandidate) + candidate.why_none));
  auto bytes = own ? world_.cache.read_object(own->artifact) : bytes_of(candidate, job.problem);
  if (!bytes) return end_at(not_judged_stage(Stage::verify, bytes.error().message));
  job.candidate = std::move(*bytes);
  if (job.form->is_one_function()) {
    DirectCall call = direct_call(job, own->dispatch);
    if (!call.why_none.empty()) {  // it stays compiled, and that says why
      for (StageRecord& stage : candidacy.stages)
        if (stage.stage == Stage::compile) stage.evidence["dispatch"] = call.why_none;
      return leave(std::move(task));
    }
    job.candidate = std::move(call.code);
    job.program["dispatch"] = std::move(call.call);
  }
  auto beside = files_beside(world_.disk, candidate, job.candidate);
  if (!beside) return end_at(not_loaded(job, beside.error().message));
  job.beside = std::move(*beside);
  JudgingJob judging{std::move(job)};
  judging.judge = tools_.judge;
  judging.traces = settings.trace;
  // Its tests run in an interpreter, or it is emulated: no time and no count says anything. And
  // nothing is timed that was not verified.
  if (judging.verify.tests || judging.verify.form->is_emulated()) return judging;
  if (task.lane->workload.truth == Truth::nobody) return judging;
  judging.counts = settings.counters && !judging.verify.gpu;
  if (const auto& operation = task.lane->workload.operation)
    judging.work = {.flops = operation->flops, .bytes = operation->bytes, .type = operation->type};
  for (const StageRecord& stage : candidacy.stages)
    if (judging.counts && stage.evidence.is_object() && stage.evidence.contains("dispatch_bytes"))
      judging.dispatch_bytes = stage.evidence["dispatch_bytes"];
  if (const auto& timing = settings.timing; timing && !judging.verify.gpu) {
    auto baselines = baselines_of(candidacy, judging.verify);
    if (!baselines) return end_at(not_judged_stage(Stage::verify, baselines.error().message));
    judging.baselines = std::move(*baselines);
    judging.timing = *timing;
    if (timing->profile && own) {
      judging.direct = direct_call(judging.verify, own->dispatch);
      judging.cross_checks = is_in_sample(candidacy.planned.attempt.id);
    }
    judging.comparisons = candidacy.planned.comparisons;
    const auto& before = candidacy.planned.before;
    // Its file may have changed since the plan was made.
    if (before && same_but_for_timing(before->fingerprint, candidacy.planned.attempt.fingerprint))
      judging.before = as_verified_before(*before, candidacy.stages.size());
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
  std::vector<Baseline> baselines;
  for (const PlannedBaseline& each : candidacy.planned.baselines) {
    const Candidate& candidate = each.candidate;
    Baseline baseline = baseline_for(job, each.author, candidate);
    const Task::Compiled* compiled =
        candidate.form->is_artifact() ? &candidacy.compiled.at(each.target) : nullptr;
    baseline.unusable = compiled ? compiled->why_none : candidate.why_none;
    if (compiled) baseline.job.program = compiled->program;
    if (baseline.unusable.empty()) {
      ASSAY_ASSIGN(baseline.job.candidate, compiled ? world_.cache.read_object(compiled->artifact)
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
  if (task.lane->lane.is_look) {
    Lint look = judging.look ? std::move(*judging.look)
                             : Lint{.stage = std::move(judging.verified.stages.back())};
    std::vector<StageRecord> stages{look.stage};
    return finish(*task.lane, std::move(attempt), std::move(stages), {}, std::move(look));
  }
  Verified& verified = judging.verified;
  attempt.isolation = verified.isolation;
  attempt.seed = verified.seed;
  attempt.timing = std::move(judging.timing);
  attempt.profile = std::move(judging.profile);
  attempt.windows = std::move(judging.windows);
  // Where torch runs the problem's own model, there is nobody else.
  const bool is_problem = candidacy.planned.candidate.own_model == OwnModel::as_it_is;
  if (task.lane->workload.truth == Truth::nobody) {
    for (StageRecord& stage : candidacy.stages)
      if (stage.stage == Stage::compile) tell_agreement(verified.stages, stage);
    verified.stages.clear();
  }
  if (const auto& tests = task.lane->workload.tests; tests && !verified.stages.empty()) {
    tell_kernel(*tests, candidacy.planned.candidate, verified.stages);
    tell_pass(candidacy.planned.pass, verified.stages);
  }
  for (StageRecord& stage : verified.stages) {
    name_limit(task.terms(), stage);
    if (is_problem && fault_of(stage) == Fault::candidate) stage.blamed = Fault::problem;
    if (const uint64_t peak_bytes = candidacy.memory->peak_bytes;
        stage.stage == Stage::verify && !stage.reused && peak_bytes > 0)
      stage.peak_bytes = std::max(stage.peak_bytes.value_or(0), peak_bytes);
    candidacy.stages.push_back(std::move(stage));
  }
  for (const CompiledFile& file : verified.files) {
    if (!sink_.keeps()) break;
    ASSAY_ASSIGN(ArtifactRecord object, world_.cache.put_object(file.name, file.bytes));
    candidacy.artifacts.push_back(std::move(object));
  }
  judging.traced.memory = std::move(candidacy.memory->samples);
  return finish(*task.lane, std::move(attempt), std::move(candidacy.stages),
                std::move(candidacy.artifacts), {}, std::move(judging.traced));
}

}  // namespace assay
