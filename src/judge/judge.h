// From what was measured to what is said of it: the stage judge.
#pragma once

#include "judge/rule.h"
#include "model/timing.h"

namespace assay {

// What a comparison is undecided for when no rule is broken.
inline constexpr std::string_view kResolutionLimited = "resolution-limited";
inline constexpr std::string_view kNoisy = "noisy";
inline constexpr std::string_view kOutOfTime = "budget";
inline constexpr std::string_view kQuick = "quick";

struct Judged {
  StageRecord stage;
  Timing timing;
};

// Of a measurement whose stage is ok. A baseline that could not be used has no speed-up.
Judged judge(const Measured& measured, CacheMode cache, int threads);

}  // namespace assay
