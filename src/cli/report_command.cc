#include <fmt/format.h>

#include <algorithm>

#include "author/author.h"
#include "base/rows.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/report_sink.h"
#include "cli/selection.h"
#include "cli/write_rendered.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/league.h"
#include "report/requirement.h"
#include "watch/stored_run.h"

namespace assay {
namespace {

// None: nothing is asked for.
Result<std::optional<Requirement>> find_requirement(const Arguments& arguments,
                                                    const RunRecord& run) {
  if (!arguments.given("--require")) return std::optional<Requirement>{};
  ASSAY_ASSIGN(Requirement requirement, parse_requirement(arguments.text("--require")));
  if (!run.settings.timing || run.settings.timing->profile)
    return error(Code::invalid_input,
                 "--require asks for a speed, and this run timed nothing against another",
                 "run it with --against AUTHOR, into another folder");
  return std::optional(std::move(requirement));
}

// What of the format's own the options ask for.
Status take_format_options(const Arguments& arguments, const Format& format, ReportInput& input) {
  if (arguments.given("--tags") && !format.takes_tags)
    return error(Code::invalid_input,
                 fmt::format("--format {} has no room for --tags", format.name),
                 "profiler, cutlass, google-benchmark and latency have");
  for (const std::string& tag : arguments.list("--tags")) {
    const size_t at = tag.find('=');
    if (at == 0 || at == std::string::npos)
      return error(Code::invalid_input, fmt::format("--tags '{}' is no NAME=VALUE", tag));
    input.tags.emplace_back(tag.substr(0, at), tag.substr(at + 1));
  }
  if (!arguments.given("--append")) return {};
  if (!format.may_be_appended)
    return error(Code::invalid_input,
                 fmt::format("--append adds rows, and --format {} is no table", format.name),
                 "profiler, cutlass and latency are");
  if (arguments.text("--to").empty())
    return error(Code::invalid_input, "--append adds rows to a file, and none is named",
                 "name it: --to FILE.csv");
  return {};
}

// None: the usual ones.
Result<std::vector<size_t>> parse_ks(const Arguments& arguments) {
  std::vector<size_t> ks;
  for (const std::string& each : arguments.list("--k")) {
    ASSAY_ASSIGN(const int k, parse_count("--k", each));
    ks.push_back(static_cast<size_t>(k));
  }
  std::ranges::sort(ks);
  const auto twice = std::ranges::unique(ks);
  ks.erase(twice.begin(), twice.end());
  return ks;
}

// Of several runs.
Result<int> report_league(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const Format* format, parse_format(arguments.text("--format"), league_formats(),
                                                  "report of several runs"));
  for (const char* option : {"--all", "--require", "--append", "--tags", "--chart"})
    if (arguments.given(option))
      return error(Code::invalid_input, fmt::format("{} is for the report of one run", option),
                   "name one RUN");
  ASSAY_ASSIGN(const std::vector<size_t> ks, parse_ks(arguments));
  std::vector<ReportInput> runs;
  for (const std::string& folder : arguments.positional("RUN...")) {
    ASSAY_ASSIGN(RunStore store, open_run(folder));
    ASSAY_ASSIGN(auto attempts, store.attempts(false));
    if (!attempts.empty()) ASSAY_TRY(keep_selected(arguments, attempts));
    runs.push_back({folder, store.record(), std::move(attempts)});
    runs.back().ks = ks;
  }
  if (format->runs) {
    if (arguments.text("--to").empty()) runs.front().columns = output.columns();
    ASSAY_TRY(write_rendered({format->name,
                              {league_file(*format)},
                              [&](ReportSink& sink) {
                                sink.begin_file(league_file(*format));
                                format->runs(runs, sink);
                              }},
                             arguments.text("--to"), output));
    return 0;
  }
  League league = league_of(runs, names_of_authors(&AuthorType::runs_own_model));
  if (arguments.text("--to").empty()) league.columns = output.columns();
  if (league.problems == 0)
    return error(Code::invalid_input, "there is no problem that all authors of these runs have",
                 "--filter and --skip choose problems and authors by attempts' ids");
  ASSAY_TRY(write_rendered({format->name,
                            {league_file(*format)},
                            [&](ReportSink& sink) { render_league(*format, league, sink); }},
                           arguments.text("--to"), output));
  return 0;
}

}  // namespace

Result<int> report_command(const Arguments& arguments, Output& output) {
  if (arguments.positional("RUN...").size() > 1) return report_league(arguments, output);
  ASSAY_ASSIGN(const Format* format,
               parse_format(arguments.text("--format"), report_formats(), "report"));
  std::string folder = arguments.positional("RUN...").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts,
               format->everything ? store.attempts_as_text() : store.attempts(false));
  Standing standing;  // of all, whichever are asked for
  if (arguments.given("--require")) standing = standing_of(attempts);
  ASSAY_TRY(keep_selected(arguments, attempts));
  ASSAY_ASSIGN(std::optional<Requirement> requirement, find_requirement(arguments, store.record()));
  ReportInput input{format->of_searches ? absolute_path(folder) : folder, store.record(),
                    std::move(attempts), arguments.given("--all")};
  ASSAY_ASSIGN(input.ks, parse_ks(arguments));
  if (format->asks_what_runs) {
    ASSAY_ASSIGN(input.not_here, targets_not_here(input.attempts));
  }
  StoredRun reader(store);
  input.reader = &reader;
  if (arguments.given("--chart")) {
    if (format->name != "svg")
      return error(Code::invalid_input, "--chart is of --format svg",
                   "add --format svg, or leave it out");
    ASSAY_ASSIGN(const std::string chart, parse_word("--chart", arguments, names_of(charts())));
    input.chart = find_row(charts(), chart);
  }
  const auto embed = from_word(kEmbedWords, arguments.text("--embed"));
  if (!embed)
    return error(Code::invalid_input,
                 "--embed is none, usual or all, not '" + arguments.text("--embed") + "'");
  input.embed = *embed;
  ASSAY_TRY(take_format_options(arguments, *format, input));
  input.resolution = resolution_of_this_machine();
  input.error_rates = page_error_rates();
  ASSAY_ASSIGN(input.search, store.search().record());
  if (format->of_searches && !input.search.is_there())
    return error(
        Code::invalid_input,
        fmt::format("--format {} is of runs of `assay write`, and '{}' holds no answers of a "
                    "model",
                    format->name, folder),
        "name the folder of such a run, or another format");
  if (arguments.text("--to").empty()) input.columns = output.columns();
  const Rendered rendered{format->name, report_files(*format, input),
                          [&](ReportSink& sink) { render_report(*format, input, sink); }};
  ASSAY_TRY(arguments.given("--append") ? append_rendered(rendered, arguments.text("--to"))
                                        : write_rendered(rendered, arguments.text("--to"), output));
  if (!requirement) return 0;
  output.remark(shortfalls_in_words(*requirement, input.attempts, standing));
  return exit_status(input.attempts, *requirement, standing);
}

}  // namespace assay
