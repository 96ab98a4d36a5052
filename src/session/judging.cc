#include "session/judging.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "compile/code_facts.h"
#include "judge/again.h"
#include "judge/judge.h"
#include "judge/part_work.h"
#include "measure/counter.h"
#include "run/outcome.h"
#include "session/trace.h"
#include "session/traced_children.h"
#include "verify/oracle.h"

namespace assay {
namespace {

std::vector<std::string> labels_of(const StageRecord& verified) {
  std::vector<std::string> labels;
  for (const Json& label : verified.evidence.value("labels", Json::array()))
    if (label.is_string()) labels.push_back(label.get<std::string>());
  return labels;
}

// A measurement, and what is said of it; nothing is where the measurement has a finding.
struct Timed {
  Measured measured;
  std::optional<Judged> judged;
};

struct Profiled {
  Measured measured;
  std::optional<Profile> profile{};  // where its stage is ok
};

// The launches of the second come behind those of the first.
void add_launches(std::vector<WindowRecord>& first, int launches,
                  std::vector<WindowRecord> second) {
  for (WindowRecord& window : second) {
    window.launch += launches;
    window.draw = "again/" + window.draw;  // of another stream: the same name, and other inputs
  }
  first.insert(first.end(), std::make_move_iterator(second.begin()),
               std::make_move_iterator(second.end()));
}

bool is_accepted(const Verified& verified) {
  return !verified.stages.empty() && verified.stages.back().stage == Stage::verify &&
         verdict_of(verified.stages) == Verdict::accepted;
}

std::string why(const Verified& verified) {
  return verified.stages.empty() ? "" : verified.stages.back().error;
}

class Judge {
 public:
  Judge(const JudgingJob& job, const VerifyTools& tools, Children& children, MemoryGate& memory,
        NativeLibraries& libraries, QuietGate& quiet)
      : job_(job),
        tools_(tools),
        children_(children),
        memory_(memory),
        libraries_(libraries),
        quiet_(quiet) {}

  // Who only profiles asks the same oracle afterwards: no verdict hangs on that.
  Result<Verified> verified() {
    return verify(job_.verify, tools_, children_, memory_, libraries_,
                  job_.timing.profile ? &oracle_ : nullptr);
  }

  Result<Verified> verified_under_another_seed() const {
    VerifyJob job = job_.verify;
    job.seed.clear();
    job.has_run = true;
    return verify(job, tools_, children_, memory_, libraries_);
  }

  // Without IREE's runtime where that can be, else with it.
  Result<Profiled> profile(const std::string& seed) {
    MeasureJob timed{.candidate = job_.verify,
                     .baselines = {},
                     .type = job_.type_of_work(),
                     .bytes = job_.work.bytes,
                     .timing = job_.timing,
                     .oracle = oracle_ ? &*oracle_ : nullptr};
    timed.candidate.seed = seed;
    std::string not_direct = job_.direct ? job_.direct->why_none : "";
    if (job_.direct && not_direct.empty()) {
      MeasureJob direct = timed;
      direct.candidate.form = &direct_form();
      direct.candidate.candidate = job_.direct->code;
      direct.candidate.program["dispatch"] = job_.direct->call;
      ASSAY_ASSIGN(Profiled found, profile(direct));
      if (found.profile) {
        if (!job_.cross_checks) return found;
        ASSAY_ASSIGN(const Profiled other, profile(timed));
        if (other.profile) found.profile->check = check_of(*found.profile, *other.profile);
        return found;
      }
      not_direct = found.measured.stage.error;
    }
    ASSAY_ASSIGN(Profiled found, profile(timed));
    if (found.profile) found.profile->not_direct = not_direct;
    return found;
  }

  // A winner of many twice: then all is said by the second measurement, with the first's windows
  // before its own.
  Result<Timed> time(const std::string& seed, const std::vector<std::string>& labels) const {
    MeasureJob timed{.candidate = job_.verify,
                     .baselines = job_.baselines,
                     .is_calibrated = job_.judge.calibration.has_value(),
                     .type = job_.type_of_work(),
                     .bytes = job_.work.bytes,
                     .timing = job_.timing};
    timed.candidate.seed = seed;  // of the attempt: it draws all again
    ASSAY_ASSIGN(Timed first, time(timed, labels));
    if (job_.comparisons < 2 || !first.judged || !is_winner(*first.judged)) return first;
    timed.stream = "measure again";
    timed.least_launches = least_launches_again(job_.comparisons);
    ASSAY_ASSIGN(Timed second, time(timed, labels));
    if (second.judged) second.judged = confirmed(*first.judged, std::move(*second.judged));
    StageRecord& stage = second.measured.stage;
    stage.wall_ns = stage.wall_ns.value_or(0) + first.measured.stage.wall_ns.value_or(0);
    stage.began_us = first.measured.stage.began_us;
    if (second.judged) stage.evidence["first"] = std::move(first.measured.stage.evidence);
    add_launches(first.measured.windows, first.measured.launches,
                 std::move(second.measured.windows));
    second.measured.windows = std::move(first.measured.windows);
    return second;
  }

 private:
  Result<Profiled> profile(const MeasureJob& timed) const {
    Profiled found;
    ASSAY_ASSIGN(found.measured, measure(timed, tools_, children_, memory_, libraries_, quiet_));
    StageRecord& stage = found.measured.stage;
    stage.stage = Stage::profile;
    if (stage.status != StageStatus::ok) return found;
    const Calibration* calibration = job_.judge.calibration ? &*job_.judge.calibration : nullptr;
    found.profile =
        profile_of(found.measured, timed.candidate.runner().name, job_.work, calibration);
    if (!found.profile) {
      StageRecord none = not_judged_stage(Stage::profile, "in no window did its clocks agree");
      none.evidence = std::move(stage.evidence);
      none.wall_ns = stage.wall_ns;
      none.began_us = stage.began_us;
      stage = std::move(none);
    }
    return found;
  }

  Result<Timed> time(const MeasureJob& timed, const std::vector<std::string>& labels) const {
    Timed result;
    ASSAY_ASSIGN(result.measured, measure(timed, tools_, children_, memory_, libraries_, quiet_));
    if (result.measured.stage.status == StageStatus::ok)
      result.judged = judge(result.measured, labels, job_.judge);
    return result;
  }

  const JudgingJob& job_;
  const VerifyTools& tools_;
  Children& children_;
  MemoryGate& memory_;
  NativeLibraries& libraries_;
  QuietGate& quiet_;
  std::optional<Oracle> oracle_{};  // of the problem, once it has been verified
};

}  // namespace

StageRecord not_loaded(const VerifyJob& job, std::string_view why) {
  return failed_stage(job.gpu ? Stage::compile : Stage::verify, FailureClass::load, why);
}

Judging not_judged(const Error& why) {
  const bool is_machine = why.code == Code::io || why.code == Code::unavailable;
  Judging judging;
  judging.verified.stages.push_back(blamed_on(is_machine ? Fault::machine : Fault::assay,
                                              not_judged_stage(Stage::verify, why.describe())));
  return judging;
}

Baseline baseline_for(const VerifyJob& job, std::string author, const Candidate& candidate) {
  Baseline baseline{std::move(author), job};
  baseline.job.form = candidate.form;
  baseline.job.own_model = candidate.own_model;
  baseline.job.candidate_path = candidate.path.empty() ? job.problem_path : candidate.shown_path();
  baseline.job.candidate = job.problem;
  baseline.job.beside.clear();
  return baseline;
}

namespace {

Result<Judging> judge_in_order(const JudgingJob& job, const VerifyTools& tools, Children& children,
                               MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  Judging judging;
  if (job.look) {
    ASSAY_ASSIGN(judging.look, lint(*job.look, tools, children));
    return judging;
  }
  Judge judge(job, tools, children, memory, libraries, quiet);
  if (job.before) {
    judging.verified = *job.before;
  } else {
    ASSAY_ASSIGN(judging.verified, judge.verified());
  }
  if (!is_accepted(judging.verified)) return judging;
  std::vector<StageRecord>& stages = judging.verified.stages;
  const std::vector<std::string> labels = labels_of(stages.back());
  if (auto rejected = rejected_for_labels(labels, job.judge.severities)) {
    rejected->evidence = std::move(stages.back().evidence);
    stages.back() = std::move(*rejected);
    return judging;
  }
  if (job.counts) {
    const CountedCandidate candidate{job.verify, tools, children, libraries};
    ASSAY_ASSIGN(Json counted, count(candidate, this_machine()));
    judging.traced.calls = take_calls(counted);
    const auto& calibration = job.judge.calibration;
    add_work(counted, job.dispatch_bytes, job.type_of_work(), job.verify.threads,
             calibration ? &*calibration : nullptr);
    if (!counted.empty()) stages.back().evidence["counters"] = std::move(counted);
  }
  if (job.baselines.empty() && !job.timing.profile) return judging;

  if (job.timing.profile) {
    ASSAY_ASSIGN(Profiled profiled, judge.profile(judging.verified.seed));
    judging.profile = std::move(profiled.profile);
    if (judging.profile && job.verify.form->is_artifact())
      judging.profile->code_bytes = code_bytes_of(job.verify.candidate);
    judging.windows = std::move(profiled.measured.windows);
    stages.push_back(std::move(profiled.measured.stage));
    return judging;
  }
  ASSAY_ASSIGN(Timed timed, judge.time(judging.verified.seed, labels));
  stages.push_back(std::move(timed.measured.stage));
  if (timed.judged) {
    if (timed.judged->is_suspicious) {
      auto again = judge.verified_under_another_seed();
      if (!again && again.error().code == Code::interrupted)
        return std::unexpected(std::move(again).error());
      const Verdict verdict = again ? verdict_of(again->stages) : Verdict::not_judged;
      if (verdict == Verdict::rejected || verdict == Verdict::failed ||
          verdict == Verdict::unsupported)
        return Judging{.verified = std::move(*again),
                       .windows = std::move(timed.measured.windows),
                       .traced = std::move(judging.traced)};
      // What stands in the way of looking once more says nothing against it.
      if (verdict != Verdict::accepted)
        timed.judged->stage.evidence["not_verified_again"] =
            again ? why(*again) : again.error().describe();
    }
    const bool is_rejected = timed.judged->stage.status != StageStatus::ok;
    stages.push_back(std::move(timed.judged->stage));
    if (!is_rejected) judging.timing = std::move(timed.judged->timing);
  }
  judging.windows = std::move(timed.measured.windows);
  return judging;
}

}  // namespace

Result<Judging> judge_candidate(const JudgingJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  if (!job.traces) return judge_in_order(job, tools, children, memory, libraries, quiet);
  TracedChildren traced(children);
  ASSAY_ASSIGN(Judging judging, judge_in_order(job, tools, traced, memory, libraries, quiet));
  judging.traced.processes = traced.processes();
  return judging;
}

}  // namespace assay
