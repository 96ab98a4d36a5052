// What may be wrong with a comparison of times. A rule looks at what was measured and can only
// weaken what is said: no rule makes anybody faster.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "measure/measure.h"

namespace assay {

// What the rules look at: the candidate against one baseline.
struct Comparison {
  const Measured& measured;
  const Duel& duel;
  Outcome outcome = Outcome::undecided;  // so far
};

// Each in a file of its name.
struct SpeedRule {
  std::string_view name;     // the reason that a comparison is undecided for
  std::string_view meaning;  // one sentence
  // Why the comparison breaks the rule, in one line; nothing: it keeps it.
  std::optional<std::string> (*complaint)(const Comparison& comparison);
};

extern const SpeedRule kClocks;
extern const SpeedRule kInterference;

// In the order in which they are asked.
std::span<const SpeedRule* const> speed_rules();

}  // namespace assay
