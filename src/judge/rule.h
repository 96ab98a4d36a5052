// What may be wrong with a comparison of times. A rule looks at what was measured and can only
// weaken what is said: no rule makes anybody faster.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "measure/measure.h"
#include "target/calibration.h"

namespace assay {

// What becomes of who breaks a rule, weakest first.
enum class Effect {
  label,      // it is said, and decides nothing
  undecided,  // the comparison says nothing
  reject,     // the attempt is rejected
};
inline constexpr Word<Effect> kEffectWords[] = {
    {Effect::label, "label"}, {Effect::undecided, "undecided"}, {Effect::reject, "reject"}};

// What the rules look at: the candidate against one baseline.
struct SpeedComparison {
  const Measured& measured;
  const Duel& duel;
  // What verifying the candidate has found worth saying.
  const std::vector<std::string>& labels;
  const Calibration* calibration = nullptr;  // null: nobody has measured what this machine can do
  Outcome outcome = Outcome::undecided;      // as the interval has it
  Interval interval{};                       // made wider by what windows cost

  // What one call of the candidate takes, by the clock that decides: the median.
  double call_ns() const { return times_of(measured.windows, 0, measured.metric()).median_ns; }
};

// Each in a file of its name.
struct SpeedRule {
  std::string_view name;     // the reason that a comparison is undecided for, or the label
  std::string_view meaning;  // one sentence
  Effect effect;             // unless a policy has another
  // Why the comparison breaks the rule, in one line; nothing: it keeps it.
  std::optional<std::string> (*complaint)(const SpeedComparison& comparison);
};

extern const SpeedRule kClocks;
extern const SpeedRule kInterference;
extern const SpeedRule kBatched;
extern const SpeedRule kNoisy;
extern const SpeedRule kImpossible;
extern const SpeedRule kSuspicious;
extern const SpeedRule kInputIndependent;
extern const SpeedRule kLibrary;
extern const SpeedRule kFallback;

// In the order in which they are asked.
std::span<const SpeedRule* const> speed_rules();

// What a policy has rules do, by their names.
using Severities = std::map<std::string, Effect, std::less<>>;
Effect effect_of(const SpeedRule& rule, const Severities& severities);

}  // namespace assay
