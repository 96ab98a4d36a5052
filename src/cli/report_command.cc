#include "base/disk.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/format.h"
#include "store/run_store.h"

namespace assay {

Result<int> report_command(const Arguments& arguments, Output& output) {
  const std::string& name = arguments.text("--format");
  const ReportFormat* format = find_report_format(name);
  if (!format) {
    std::vector<std::string> known;
    for (const ReportFormat& each : report_formats()) known.emplace_back(each.name);
    return error(Code::invalid_input,
                 "there is no report format '" + name + "'" + suggestion(name, known));
  }
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder));
  ASSAY_ASSIGN(auto attempts, store.attempts(true));
  output.write(format->render({folder, store.record(), std::move(attempts)}));
  return 0;
}

}  // namespace assay
