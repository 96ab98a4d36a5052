// A format of nobody's, for reports and comparisons: how many attempts there are, and which.
#include <string>

#include "base/rows.h"
#include "report/comparison.h"
#include "report/format.h"

namespace assay {
namespace {

void render_tally(const ReportInput& input, ReportSink& sink) {
  sink.write(std::to_string(input.attempts.size()) + " in all\n");
  for (const Attempt& attempt : input.attempts) sink.write(attempt.id + "\n");
}

void render_tally_comparison(const Comparison& comparison, ReportSink& sink) {
  sink.write(std::to_string(comparison.in_common()) + " in both\n");
}

const AddedRow<Format> kTally({.name = "tally",
                               .title = "how many attempts, and which",
                               .ending = ".tally",
                               .report = render_tally,
                               .comparison = render_tally_comparison});

}  // namespace
}  // namespace assay
