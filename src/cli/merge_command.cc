#include <fmt/format.h>

#include "base/disk.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/report_sink.h"
#include "report/format.h"
#include "report/summary.h"
#include "store/merge.h"

namespace assay {

Result<int> merge_command(const Arguments& arguments, Output& output) {
  if (!arguments.given("--out"))
    return error(Code::invalid_input, "the merged run has no folder", "name a new one with --out");
  const std::string& to = arguments.text("--out");
  const std::vector<std::string>& folders = arguments.positional("RUN...");
  // A slip in a name is told with what is near it.
  for (const std::string& folder : folders) ASSAY_TRY(open_run(folder));
  std::string summary;
  ASSAY_ASSIGN(Merged merged,
               merge_runs(system_disk(), folders, to, [&](RunStore& store) -> Status {
                 ASSAY_ASSIGN(auto attempts, write_reports(store));
                 summary = in_words(summarise(attempts).all);
                 return {};
               }));
  output.write(
      fmt::format("{} of {}{}\n{}\nreport: {}\n", format_count(merged.attempts, "attempt"),
                  format_count(folders.size(), "run"),
                  merged.twice > 0 ? fmt::format("; {} again, the same", merged.twice) : "",
                  summary, join_path(to, "report.md")));
  return 0;
}

}  // namespace assay
