// Who is fastest: the first thing that a report of a timed run says.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"
#include "report/table.h"

namespace assay {

// The attempts of one problem on one target, by the order of the report.
struct OfProblem {
  std::vector<const Attempt*> attempts;
  std::string on_target;  // " on a100" where there are several targets, else ""
};
// By suite, level and problem, then target.
std::vector<OfProblem> by_problem(const std::vector<Attempt>& attempts);

// "level1/softmax": by its suite, where that has no levels.
std::string problem_in_level(const Attempt& attempt);

// A head, and for each problem its candidates, the fastest first, with the first baseline among
// them where it stands; behind them those without a time. The cells are plain text. Empty where
// nothing was to be timed.
std::vector<Row> ranking_rows(const std::vector<Attempt>& attempts);

// What the times are, in one line.
std::string ranking_title(const std::vector<Attempt>& attempts);

}  // namespace assay
