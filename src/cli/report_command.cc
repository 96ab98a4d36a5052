#include "base/disk.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/report_sink.h"
#include "cli/selection.h"
#include "report/requirement.h"

namespace assay {
namespace {

Result<const ReportFormat*> format_of(const Arguments& arguments) {
  const std::string& name = arguments.text("--format");
  if (const ReportFormat* format = find_report_format(name)) return format;
  std::vector<std::string> known;
  for (const ReportFormat& each : report_formats()) known.emplace_back(each.name);
  return error(Code::invalid_input,
               "there is no report format '" + name + "'" + suggestion(name, known));
}

// None: nothing is asked for.
Result<std::optional<Requirement>> find_requirement(const Arguments& arguments,
                                                    const RunRecord& run) {
  if (!arguments.given("--require")) return std::optional<Requirement>{};
  ASSAY_ASSIGN(Requirement requirement, parse_requirement(arguments.text("--require")));
  if (!run.settings.timing)
    return error(Code::invalid_input, "--require asks for a speed, and this run timed nothing",
                 "run it with --against AUTHOR, into another folder");
  return std::optional(std::move(requirement));
}

Status write_report(const ReportFormat& format, const ReportInput& input, std::string to,
                    Output& output) {
  if (to.empty() && format.folder) to = input.folder;
  if (to.empty()) {
    OutputSink sink(output);
    format.render(input, sink);
    sink.flush();
    return {};
  }
  if (format.folder) ASSAY_TRY(system_disk().make_directories(to));
  DiskSink sink(system_disk(), to);
  format.render(input, sink);
  return sink.finish();
}

}  // namespace

Result<int> report_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const ReportFormat* format, format_of(arguments));
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts,
               format->everything ? store.attempts_as_text() : store.attempts(false));
  Standing standing;  // of all, whichever are asked for
  if (arguments.given("--require")) standing = standing_of(attempts);
  ASSAY_TRY(keep_selected(arguments, attempts));
  ASSAY_ASSIGN(std::optional<Requirement> requirement, find_requirement(arguments, store.record()));
  ReportInput input{folder, store.record(), std::move(attempts), arguments.given("--all")};
  ASSAY_TRY(write_report(*format, input, arguments.text("--to"), output));
  if (!requirement) return 0;
  output.remark(shortfalls_in_words(*requirement, input.attempts, standing));
  return exit_status(input.attempts, *requirement, standing);
}

}  // namespace assay
