// How fast attempts have to be for a gate to open: --require.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/attempt.h"
#include "report/standing.h"

namespace assay {

// Of the speed-up against the first baseline.
struct Requirement {
  std::string text;             // as it was typed
  std::optional<double> least;  // that the interval begins here or above; nothing: that the outcome
                                // is `faster`
};

// "faster", or a ratio with an x: "1.05x".
Result<Requirement> parse_requirement(const std::string& text);

// Why an attempt falls short of it; "": it does not. What is undecided, provisional or was not
// timed always does, and who has to be faster also where that does not stand among all that were
// tried.
std::string shortfall(const Requirement& requirement, const Attempt& attempt,
                      const Standing& standing);

// A line for each attempt that passed and falls short.
std::string shortfalls_in_words(const Requirement& requirement,
                                const std::vector<Attempt>& attempts, const Standing& standing);

// As exit_status() of attempts, where one that falls short is like one that was rejected.
int exit_status(const std::vector<Attempt>& attempts, const Requirement& requirement,
                const Standing& standing);

}  // namespace assay
