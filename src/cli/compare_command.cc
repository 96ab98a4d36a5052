#include "base/words.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "report/comparison.h"

namespace assay {
namespace {

Result<const ComparisonFormat*> format_of(const Arguments& arguments) {
  const std::string& name = arguments.text("--format");
  std::vector<std::string> known;
  for (const ComparisonFormat& format : comparison_formats()) {
    if (format.name == name) return &format;
    known.emplace_back(format.name);
  }
  return error(Code::invalid_input,
               "there is no format '" + name + "' of a comparison" + suggestion(name, known));
}

Result<ReportInput> read_run(const Arguments& arguments, std::string_view positional) {
  const std::string& folder = arguments.positional(positional).front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  if (!attempts.empty()) ASSAY_TRY(keep_selected(arguments, attempts));
  return ReportInput{folder, store.record(), std::move(attempts)};
}

}  // namespace

Result<int> compare_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const ComparisonFormat* format, format_of(arguments));
  ASSAY_ASSIGN(ReportInput a, read_run(arguments, "RUN_A"));
  ASSAY_ASSIGN(ReportInput b, read_run(arguments, "RUN_B"));
  Comparison comparison = compare(a, b);
  if (comparison.in_common() == 0)
    return error(Code::invalid_input,
                 "'" + a.folder + "' and '" + b.folder + "' have no attempt in common",
                 "attempts are the same when their ids are: suite, level, target and problem");
  output.write(format->render(comparison));
  return exit_status(comparison);
}

}  // namespace assay
