// From what was measured to what is said of it: the stage judge.
#pragma once

#include "judge/rule.h"
#include "model/attempt.h"
#include "model/timing.h"

namespace assay {

// What a comparison is undecided for when no rule is broken.
inline constexpr std::string_view kResolutionLimited = "resolution-limited";
inline constexpr std::string_view kOutOfTime = "budget";
inline constexpr std::string_view kQuick = "quick";
inline constexpr std::string_view kAgain = "again";
inline constexpr std::string_view kNoBaseline = "no-baseline";

struct UndecidedFor {
  std::string_view name, meaning;
};
inline constexpr UndecidedFor kUndecidedFor[] = {
    {kResolutionLimited, "what a window itself costs may be all of the difference"},
    {kOutOfTime, "the time was up (--budget)"},
    {kNoBaseline, "it could not be timed against what was asked for first"},
    {kAgain, "it was faster, one of many, and measured again it was not"},
    {kQuick, "two launches are no interval, and their pairs do not all say the same (--quick)"},
};

// What rules go by beside what was measured.
struct JudgeSettings {
  Severities severities;
  std::optional<Calibration> calibration;
};

struct Judged {
  StageRecord stage;
  Timing timing;
  bool is_suspicious = false;  // the rule has complained, whatever a policy makes of that
};

// Of a measurement whose stage is ok; `labels`: of the candidate's verification. A baseline that
// could not be used has no speed-up; where that was the first, the next one's is undecided. Where
// the stage is rejected, the timing is not the attempt's.
Judged judge(const Measured& measured, const std::vector<std::string>& labels,
             const JudgeSettings& settings);

// What a policy rejects a verified candidate for by its labels, whether it is timed or not;
// nothing: nothing.
std::optional<StageRecord> rejected_for_labels(const std::vector<std::string>& labels,
                                               const Severities& severities);

// For `assay list rules`: who may be rejected, and what a comparison is undecided for.
struct RuleTitle {
  std::string_view name, meaning;
  Stage stage = Stage::verify;
  Effect effect = Effect::reject;
  bool may_be_set = false;  // by a policy
};
std::vector<RuleTitle> rule_titles();

}  // namespace assay
