// What one candidate goes through on a thread of its own: verify, and where it is accepted and that
// is asked for, measure and judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "judge/judge.h"
#include "judge/profile.h"
#include "measure/measure.h"
#include "measure/quiet_gate.h"
#include "model/timing.h"
#include "model/window_record.h"
#include "session/traced.h"
#include "verify/lint.h"
#include "verify/verify.h"

namespace assay {

// What IREE compiled, where it can be called without its runtime.
struct DirectCall {
  std::string code;  // the executable; "": it cannot
  Json call{};       // compile/direct_dispatch.h
  std::string why_none{};
};

struct JudgingJob {
  VerifyJob verify{};
  std::optional<Verified> before{};  // it was accepted already, as this says
  // Against these it is timed; none: it is not timed, unless the timing says that it is profiled.
  std::vector<Baseline> baselines{};
  std::optional<DirectCall> direct{};  // with timing.profile: of an artifact
  bool cross_checks = false;           // it is also timed by the runtime, to see whether both agree
  DefinedWork work{};                  // where the workload says so
  TimingSettings timing{};
  // That are made together: of many, one that is faster is measured again.
  size_t comparisons = 1;
  JudgeSettings judge{};
  bool traces = false;            // --trace: what ran when, for a viewer
  bool counts = false;            // --counters: of what is accepted, what other tools count
  Json dispatch_bytes{};          // with `counts`: what its compile says of them; null: nothing
  std::optional<LintJob> look{};  // the problem itself is looked at, and nothing else of this holds

  // Of the operations, as calibrations name it.
  std::string type_of_work() const {
    return work.type.empty() ? std::string(to_word(kPrecisionWords, verify.precision)) : work.type;
  }
};

// To time what is judged by `job` against: another candidate for its problem. Of one that is made
// of the problem, that is all; the bytes of others are still to be set.
Baseline baseline_for(const VerifyJob& job, std::string author, const Candidate& candidate);

// Of a candidate that cannot even be begun with: the stage that it ends with, on this machine or,
// where its code is for a GPU, in the place of compiling it.
StageRecord not_loaded(const VerifyJob& job, std::string_view why);

struct Judging {
  Verified verified;  // its stages: of all that it went through
  std::optional<Timing> timing{};
  std::optional<Profile> profile{};  // with timing.profile, in the place of the timing
  std::vector<WindowRecord> windows{};
  std::optional<Lint> look{};
  Traced traced{};  // with `traces`: its processes, and calls that were looked into
};

// Of one that came to no finding: why.
Judging not_judged(const Error& why);

// Blocks. Fails as verify() does.
Result<Judging> judge_candidate(const JudgingJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet);

}  // namespace assay
