// Who is fastest: the first thing that a report of a timed run says.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"
#include "report/table.h"

namespace assay {

// A head, and for each problem its candidates, the fastest first, with the first baseline among
// them where it stands; behind them those without a time. The cells are plain text. Empty where
// nothing was to be timed.
std::vector<Row> ranking_rows(const std::vector<Attempt>& attempts);

// What the times are, in one line.
std::string ranking_title(const std::vector<Attempt>& attempts);

}  // namespace assay
