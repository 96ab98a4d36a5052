#include <algorithm>

#include "base/disk.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "report/format.h"

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

// One file goes to the path itself, or into it where it is a folder; several go into a folder.
Status write_files(const std::vector<ReportFile>& files, bool folder, const std::string& to) {
  Disk& disk = system_disk();
  if (folder) ASSAY_TRY(disk.make_directories(to));
  bool inside = folder || to.ends_with('/') || disk.is_directory(to);
  for (const ReportFile& file : files)
    ASSAY_TRY(disk.write(inside ? join_path(to, file.name) : to, file.text));
  return {};
}

}  // namespace

Result<int> report_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const ReportFormat* format, format_of(arguments));
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts,
               format->everything ? store.attempts_as_text() : store.attempts(false));
  ASSAY_TRY(keep_selected(arguments, attempts));
  auto files =
      format->render({folder, store.record(), std::move(attempts), arguments.given("--all")});
  std::string to = arguments.text("--to");
  if (to.empty() && format->folder) to = folder;
  if (to.empty()) {
    output.write(files.front().text);
    return 0;
  }
  ASSAY_TRY(write_files(files, format->folder, to));
  return 0;
}

}  // namespace assay
