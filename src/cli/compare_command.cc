#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "author/author.h"
#include "base/escape.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/write_rendered.h"
#include "report/comparison.h"

namespace assay {
namespace {

constexpr const char* kBy = "--by";

Result<ReportInput> read_run(const Arguments& arguments, std::string_view positional) {
  const std::string& folder = arguments.positional(positional).front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  if (!attempts.empty()) ASSAY_TRY(keep_selected(arguments, attempts));
  return ReportInput{folder, store.record(), std::move(attempts)};
}

std::string authors_of(const ReportInput& run) {
  std::set<std::string> names;
  for (const Attempt& attempt : run.attempts) names.insert(attempt.author);
  return fmt::format("it has {}", fmt::join(names, ", "));
}

Status keep_authors(const std::vector<std::string>& names, ReportInput& a, ReportInput& b) {
  if (names.size() != 2)
    return error(Code::invalid_input, fmt::format("{} takes two authors", kBy),
                 "the first is of A, the second of B: --by iree@3.12,iree");
  for (auto [run, name] : {std::pair(&a, &names[0]), std::pair(&b, &names[1])}) {
    const std::string known = authors_of(*run);
    if (!keep_author(*run, *name))
      return error(Code::invalid_input,
                   fmt::format("{} {}: '{}' has nothing by that author", kBy,
                               printable(*name, false), run->folder),
                   known);
    run->folder += " by " + *name;
  }
  return {};
}

}  // namespace

Result<int> compare_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const Format* format,
               parse_format(arguments.text("--format"), comparison_formats(), "comparison"));
  ASSAY_ASSIGN(ReportInput a, read_run(arguments, "A"));
  ASSAY_ASSIGN(ReportInput b, read_run(arguments, "B"));
  if (arguments.given(kBy)) ASSAY_TRY(keep_authors(arguments.list(kBy), a, b));
  Comparison comparison = compare(a, b, names_of_authors(&AuthorType::runs_own_model));
  if (arguments.text("--to").empty()) comparison.columns = output.columns();
  if (comparison.in_common() == 0)
    return error(Code::invalid_input,
                 "'" + a.folder + "' and '" + b.folder + "' have no attempt in common",
                 "attempts are the same when their ids are: suite, level, target and problem");
  ASSAY_TRY(
      write_rendered({format->name,
                      {comparison_file(*format)},
                      [&](ReportSink& sink) { render_comparison(*format, comparison, sink); }},
                     arguments.text("--to"), output));
  return exit_status(comparison);
}

}  // namespace assay
