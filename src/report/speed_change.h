// Whether an attempt became faster or slower from one run to another.
//
// Times of two runs were taken at different moments, so what is compared are speed-ups against one
// baseline, launch by launch: what slows a machine down slows both. By the order of their values
// alone, exactly (rank_sum.h); differences up to the dead band are none. How many launches there
// are depends on what they showed, so it is looked at after the first 6, 12 or 24 of both, and the
// error that is allowed is divided among these looks. Over all attempts Holm's correction: to call
// any unchanged one faster or slower is wrong in at most kFamilyAlpha of comparisons of runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "measure/interval.h"
#include "model/attempt.h"
#include "model/run_record.h"

namespace assay {

// Of B against A.
enum class SpeedVerdict { slower, faster, same, undecided };
inline constexpr Word<SpeedVerdict> kSpeedVerdictWords[] = {{SpeedVerdict::slower, "slower"},
                                                            {SpeedVerdict::faster, "faster"},
                                                            {SpeedVerdict::same, "same"},
                                                            {SpeedVerdict::undecided, "undecided"}};

// Why it is undecided.
inline constexpr std::string_view kNotTimed = "not-timed";
inline constexpr std::string_view kConditions = "conditions";
inline constexpr std::string_view kBaseline = "baseline";
inline constexpr std::string_view kFewLaunches = "launches";
inline constexpr std::string_view kCorrection = "correction";

struct SpeedChange {
  SpeedVerdict verdict = SpeedVerdict::undecided;
  std::string reason;  // of one that is undecided: a word
  std::string why;     // in one line
  // Of those whose speed-ups could be compared; 0 launches: these could not.
  std::string baseline;
  int launches = 0;     // of each run
  Interval log_ratio;   // ln(speed in B / speed in A), above 0: faster; 95 %, by itself
  double gap = 0;       // where the launches of both, seen as of one run, fall apart
  double chance = 1;    // of an unchanged attempt to look so different, over all looks
  double adjusted = 1;  // by Holm's correction
};

struct TimedPair {
  const Attempt* a = nullptr;
  const Attempt* b = nullptr;
};

// Of attempts that are accepted in both runs and timed in one of them at least; in their order.
// `fixed`: baselines that are one program in all runs where they have one name, since it is made of
// the problem.
std::vector<SpeedChange> speed_changes(const RunRecord& a, const RunRecord& b,
                                       std::span<const TimedPair> pairs,
                                       std::span<const std::string> fixed);

}  // namespace assay
