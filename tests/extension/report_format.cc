// A report format of nobody's: how many attempts there are, and their ids.
#include <string>

#include "base/rows.h"
#include "report/format.h"

namespace assay {
namespace {

void render_tally(const ReportInput& input, ReportSink& sink) {
  sink.begin_file("report.tally");
  sink.write(std::to_string(input.attempts.size()) + " in all\n");
  for (const Attempt& attempt : input.attempts) sink.write(attempt.id + "\n");
}

const AddedRow<ReportFormat> kTally({"tally", "how many attempts, and which", false, false,
                                     render_tally});

}  // namespace
}  // namespace assay
