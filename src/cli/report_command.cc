#include "base/disk.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/report_sink.h"
#include "cli/selection.h"

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

}  // namespace

Result<int> report_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const ReportFormat* format, format_of(arguments));
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts,
               format->everything ? store.attempts_as_text() : store.attempts(false));
  ASSAY_TRY(keep_selected(arguments, attempts));
  ReportInput input{folder, store.record(), std::move(attempts), arguments.given("--all")};
  std::string to = arguments.text("--to");
  if (to.empty() && format->folder) to = folder;
  if (to.empty()) {
    OutputSink sink(output);
    format->render(input, sink);
    sink.flush();
    return 0;
  }
  if (format->folder) ASSAY_TRY(system_disk().make_directories(to));
  DiskSink sink(system_disk(), to);
  format->render(input, sink);
  ASSAY_TRY(sink.finish());
  return 0;
}

}  // namespace assay
