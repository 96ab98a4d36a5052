// How fast a verified candidate is, against baselines: the stage measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/figures.h"
#include "measure/quiet_gate.h"
#include "measure/work.h"
#include "model/attempt.h"
#include "model/timing.h"
#include "model/window_record.h"
#include "verify/verify.h"

namespace assay {

// What a candidate is timed against: another candidate for the same problem, by this author.
struct Baseline {
  std::string author;
  VerifyJob job;
  std::string unusable{};  // why there is none; "": there is one
};

struct MeasureJob {
  VerifyJob candidate;             // accepted
  std::string stream = "measure";  // its random numbers: another one draws all anew
  int least_launches = kLooks[0].launches;
  std::vector<Baseline> baselines;
  bool is_calibrated = false;       // somebody looks at what has to be moved at least
  std::string type = "f32";         // of the definition's operations, as calibrations name it
  std::optional<uint64_t> bytes{};  // that a call moves, where a workload says it
  TimingSettings timing;     // no pair begins later than its budget after the first launch did
  Oracle* oracle = nullptr;  // of the problem, at its own size; null: one is started
};

// Against one baseline: what the windows show, before any rule looks at them.
struct Duel {
  std::string baseline;
  std::string unusable;  // why there is nothing to say; "": there is
  DuelFigures figures;
  Interval interval;  // of the metric, without what windows themselves cost
};

struct Measured {
  StageRecord stage;  // with what was done as its evidence
  TimingSettings settings;
  int threads = 1;
  bool is_on_card = false;
  bool is_gated = false;  // there: windows are timed by the card's clock
  bool out_of_time = false;
  int least_launches = kLooks[0].launches;  // before the first look
  int launches = 0;
  std::vector<Duel> duels;  // by baseline; empty unless the stage is ok
  std::vector<WindowRecord> windows;
  std::vector<ProcessCosts> processes;  // of each side
  Work work;
  bool results_differ = true;  // of inputs that the problem draws, from each other

  // The CPU time of several threads, or of who has a card work, says nothing of how long one waits
  // for them.
  Metric metric() const { return threads == 1 && !is_on_card ? Metric::cpu : Metric::wall; }
};

// Blocks; to be called on a thread of its own, which has entered `quiet`. Fails with
// Code::interrupted, and where assay itself cannot go on.
Result<Measured> measure(const MeasureJob& job, const VerifyTools& tools, Children& children,
                         MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet);

// Raised when what is timed, or how, changes.
inline constexpr int kMeasureVersion = 10;

}  // namespace assay
