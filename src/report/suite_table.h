// Who answered how well to suites of kernels with tests, for people: of one run or several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "report/suite_score.h"
#include "report/summary.h"
#include "report/table.h"

namespace assay {

struct NamedSuiteScore {
  std::string name;  // its author; with its target and run, where there are several
  SuiteScore score;
};

// The best first, by assay; each with its groups behind it. Empty: nothing was run with tests.
std::vector<NamedSuiteScore> ranked_suite_scores(std::span<const ReportInput> runs);

inline constexpr std::string_view kSuiteTitle = "kernels with tests";
// A head, and a row for each. Empty where there are none.
std::vector<Row> suite_rows(std::span<const NamedSuiteScore> ranked);
// The same of pass@k: empty where nobody has several passes, or as many as are asked for.
std::vector<Row> suite_at_k_rows(std::span<const NamedSuiteScore> ranked);
// What the numbers are, a line each.
std::vector<std::string> suite_notes();

// Of both tables, as the page shows them; null: there are none.
Json suite_tables_json(std::span<const NamedSuiteScore> ranked);

}  // namespace assay
