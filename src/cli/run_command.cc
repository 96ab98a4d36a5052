#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "author/author.h"
#include "base/cores.h"
#include "base/escape.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/add_target.h"
#include "cli/command.h"
#include "cli/find_authors.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/report_sink.h"
#include "cli/selection.h"
#include "compile/flags.h"
#include "compile/link.h"
#include "report/format.h"
#include "report/requirement.h"
#include "session/run.h"
#include "session/workplace.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"
#include "workload/bundled.h"
#include "workload/source.h"

namespace assay {
namespace {

Result<RunSettings> parse_settings(const Arguments& arguments) {
  RunSettings settings;
  if (arguments.given("--until")) {
    ASSAY_ASSIGN(std::string until, parse_word("--until", arguments, until_words()));
    settings.until = from_word(kStageWords, until);
  }
  ASSAY_TRY(parse_how_to_judge(arguments, settings));
  ASSAY_ASSIGN(settings.timing, parse_timing(arguments));
  if (settings.timing && settings.until)
    return error(Code::invalid_input,
                 "--until ends before anything is timed, and --against, --quick, --budget and "
                 "--cache ask for that",
                 "leave out one of them");
  ASSAY_ASSIGN(settings.compiler, parse_word("--compiler", arguments, kCompilerKindWords));
  settings.flags = arguments.list("--flag");
  for (const std::string& flag : settings.flags) {
    auto good = check_flag(flag);
    if (!good) return while_doing(good.error(), "reading --flag");
  }
  settings.debug_info = arguments.given("--debug-info");
  settings.phases = arguments.given("--phases");
  settings.weights = arguments.given("--weights");
  return settings;
}

std::string default_folder(const std::vector<std::string>& paths) {
  const Source& source = source_of(paths.front());
  if (!source.is_on_disk)
    return join_path("runs", source.prefix.substr(0, source.prefix.find(':')));
  std::filesystem::path first(absolute_path(paths.front()));
  std::string name = first.extension() == ".py" ? first.stem().string() : first.filename().string();
  return join_path("runs", name.empty() ? "run" : name);
}

Result<Request> make_request(const Arguments& arguments, const Places& places) {
  Request request;
  ASSAY_ASSIGN(request.settings, parse_settings(arguments));
  ASSAY_ASSIGN(request.authors, find_authors(arguments.list("--by"), "--by"));
  ASSAY_ASSIGN(request.baselines, find_baselines(request.settings.timing));
  TargetCatalog catalog = target_catalog(system_disk(), places);
  for (const std::string& name : arguments.list("--on"))
    ASSAY_TRY(add_target(catalog, name, request.settings, request.targets));
  std::vector<std::string> paths;
  for (const std::string& given : arguments.positional("PATH..."))
    paths.push_back(suite_path(system_disk(), places, given));
  ASSAY_ASSIGN(paths, expand_globs(system_disk(), paths));
  ASSAY_ASSIGN(Selection selection, parse_selection(arguments));
  ASSAY_ASSIGN(request.workloads, find_named_workloads(system_disk(), places, paths));
  ASSAY_ASSIGN(request.workloads, select_workloads(std::move(request.workloads), selection));
  auto has_own = std::ranges::find_if(
      request.workloads, [](const Workload& each) { return each.precision.has_value(); });
  if (arguments.given("--precision") && has_own != request.workloads.end())
    return error(
        Code::invalid_input,
        fmt::format("--precision does not apply to {}: it names its own types", has_own->path),
        "write dtype=f16 between its brackets");
  const std::string& folder = arguments.text("--out");
  request.folder = absolute_path(folder.empty() ? default_folder(paths) : folder);
  return request;
}

// What is asked for of a run, whatever it is of.
Status add_ways_of_running(const Arguments& arguments, Request& request) {
  request.cores = usable_cores(system_disk());
  ASSAY_ASSIGN(request.jobs, parse_jobs(arguments));
  request.force = arguments.given("--force");
  if (arguments.given("--iree")) request.iree = absolute_path(arguments.text("--iree"));
  return {};
}

void print_plan(const Request& request, const Plan& plan, Output& output) {
  for (const Lane& lane : plan.lanes)
    for (const Planned& planned : lane.planned) output.write(planned.attempt.id + "\n");
  output.write(fmt::format("{}: {}, {}, {}; would go to {}\n",
                           format_count(plan.attempts, "attempt"),
                           format_count(request.workloads.size(), "workload"),
                           format_count(request.authors.size(), "author"),
                           format_count(request.targets.size(), "target"), request.folder));
  for (const std::string& cell : plan.not_applicable)
    output.write("not applicable: " + cell + "\n");
  for (const std::string& line : plan.notes) output.write(printable(line, false) + "\n");
}

// None: nothing is asked for. It is about this command: what is stored is the same without it.
Result<std::optional<Requirement>> find_requirement(const Arguments& arguments,
                                                    const Request& request) {
  if (!arguments.given("--require")) return std::optional<Requirement>{};
  ASSAY_ASSIGN(Requirement requirement, parse_requirement(arguments.text("--require")));
  if (!request.settings.timing)
    return error(Code::invalid_input, "--require asks for a speed, and nothing is timed",
                 "say against what: --against AUTHOR");
  return std::optional(std::move(requirement));
}

bool verifies(const Plan& plan) {
  return std::ranges::any_of(plan.lanes, [](const Lane& lane) {
    return std::ranges::any_of(lane.planned, &Planned::verified);
  });
}

ProgressStyle progress_style(const Arguments& arguments, const Output& output) {
  if (arguments.given("--quiet")) return ProgressStyle::quiet;
  if (arguments.given("--json")) return ProgressStyle::json;
  return output.is_terminal() ? ProgressStyle::terminal : ProgressStyle::lines;
}

}  // namespace

Result<int> run_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(Places places, find_places());
  std::optional<Replayed> replayed;
  Request request;
  if (arguments.given("--again")) {
    ASSAY_ASSIGN(replayed, find_replayed(arguments));
    ASSAY_ASSIGN(request, replay_request(*replayed, places));
    const std::string& folder = arguments.text("--out");
    request.folder = absolute_path(folder.empty() ? replay_folder(*replayed) : folder);
  } else {
    ASSAY_ASSIGN(request, make_request(arguments, places));
  }
  ASSAY_TRY(add_ways_of_running(arguments, request));
  ASSAY_ASSIGN(std::optional<Requirement> requirement, find_requirement(arguments, request));
  ASSAY_ASSIGN(Plan plan, make_plan(request, this_machine()));
  if (replayed && !verifies(plan))
    return error(Code::unavailable,
                 fmt::format("{} cannot be replayed here: code for {} does not run on this machine",
                             replayed->attempt.id, replayed->attempt.target),
                 "`assay list targets` says what would run it");
  if (arguments.given("--dry-run")) {
    print_plan(request, plan, output);
    return 0;
  }
  std::set<std::string> planned;
  for (const Lane& lane : plan.lanes)
    for (const Planned& each : lane.planned) planned.insert(each.attempt.id);

  Disk& disk = system_disk();
  ASSAY_ASSIGN(std::string python, find_python(places));
  ASSAY_ASSIGN(PythonDescription description, describe_python(python, places));
  ASSAY_ASSIGN(Tools tools,
               find_tools(disk, places, description, request.settings.compiler, request.iree));
  if (verifies(plan)) {
    ASSAY_ASSIGN(tools.verify, find_verify_tools(disk, this_machine(), places, description,
                                                 request.settings, arguments.given("--trust")));
    ASSAY_ASSIGN(tools.judge, find_judge_settings(disk, places, request.settings));
  }
  ASSAY_ASSIGN(auto place, Workplace::create(tools, request.force ? CachedLibraries::Use::replace
                                                                  : CachedLibraries::Use::all));
  ASSAY_ASSIGN(std::string cache_folder, find_cache_folder());
  prepare_links(disk, this_machine(), request.targets, tools.compiler_path,
                join_path(cache_folder, "link"));
  RunRecord record{request.settings, kVersionText, system_clock().utc(),
                   describe_machine(disk, description, tools)};
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_write(disk, request.folder, record));
  ASSAY_TRY(place->have_children_in(join_path(request.folder, ".scratch")));
  auto progress = make_progress(progress_style(arguments, output), output, system_clock());
  if (replayed) {
    replayed->replay.differs = what_differs(disk, *replayed, plan, tools, record.machine);
    plan.lanes.front().planned.front().attempt.replay = replayed->replay;
    progress->note(replay_in_words(*replayed));
  }
  for (const std::string& line : plan.notes) progress->note(printable(line, false) + "\n");
  Status ran = run_plan(request, tools, std::move(plan), store, place->world(*progress));
  // Also when it was interrupted: the report is always about what is in the folder.
  auto attempts_now = write_reports(store);
  ASSAY_TRY(ran);
  ASSAY_ASSIGN(auto attempts, std::move(attempts_now));
  Standing standing;  // of all in the folder, as the report has it
  if (requirement) standing = standing_of(attempts);
  std::erase_if(attempts, [&](const Attempt& a) { return !planned.contains(a.id); });
  const int status =
      requirement ? exit_status(attempts, *requirement, standing) : exit_status(attempts);
  if (replayed) {
    ASSAY_ASSIGN(auto now, store.find(replayed->attempt.id));
    if (now) progress->note(outcome_in_words(replayed->attempt, *now));
  }
  progress->done(status, in_words(summarise(attempts).all), request.folder);
  if (requirement) output.remark(shortfalls_in_words(*requirement, attempts, standing));
  return status;
}

}  // namespace assay
