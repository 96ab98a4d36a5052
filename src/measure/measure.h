// How fast a verified candidate is, against baselines: the stage measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/figures.h"
#include "model/attempt.h"
#include "model/timing.h"
#include "model/window_record.h"
#include "verify/verify.h"

namespace assay {

// What a candidate is timed against: another candidate for the same problem, by this author.
struct Baseline {
  std::string author;
  VerifyJob job;
};

struct MeasureJob {
  VerifyJob candidate;  // accepted
  std::vector<Baseline> baselines;
  bool quick = false;     // two launches, whatever comes of them
  int64_t budget_ns = 0;  // no launch begins later than this after the first
  CacheMode cache = CacheMode::hot;
};

// Against one baseline: what the windows show, before any rule looks at them.
struct Duel {
  std::string baseline;
  std::string unusable;  // why there is nothing to say; "": there is
  DuelFigures figures;
  Interval interval;        // of the metric, without what windows themselves cost
  bool is_decided = false;  // no further launches were needed
};

struct Measured {
  StageRecord stage;  // with what was done as its evidence
  Metric metric = Metric::cpu;
  bool quick = false, out_of_time = false;
  int launches = 0;
  std::vector<Duel> duels;  // by baseline; empty unless the stage is ok
  std::vector<WindowRecord> windows;
  int64_t setup_ns = 0, first_call_ns = 0;  // of the candidate, medians over launches
  std::string seed;
};

// Blocks; to be called on a thread of its own, while nothing else of assay runs. Fails with
// Code::interrupted, and where assay itself cannot go on.
Result<Measured> measure(const MeasureJob& job, const VerifyTools& tools, Children& children,
                         MemoryGate& memory, NativeLibraries& libraries);

// Raised when what is timed, or how, changes.
inline constexpr int kMeasureVersion = 1;

}  // namespace assay
