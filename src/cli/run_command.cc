#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "author/author.h"
#include "base/cores.h"
#include "base/escape.h"
#include "base/units.h"
#include "cli/add_target.h"
#include "cli/command.h"
#include "cli/find_authors.h"
#include "cli/find_configurations.h"
#include "cli/find_work.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/report_sink.h"
#include "cli/run_place.h"
#include "cli/selection.h"
#include "cli/watch_page.h"
#include "compile/flags.h"
#include "report/format.h"
#include "report/requirement.h"
#include "report/user_files.h"
#include "session/now_events.h"
#include "session/run.h"
#include "setup/emulators.h"
#include "setup/tools.h"
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
    return error(
        Code::invalid_input,
        "--until ends before anything is timed, and --against, --profile, --quick, --budget "
        "and --cache ask for that",
        "leave out one of them");
  // Nothing comes behind verify but times, and these may be asked for later.
  if (settings.until == Stage::verify) settings.until.reset();
  ASSAY_ASSIGN(settings.compiler, parse_word("--compiler", arguments, kCompilerKindWords));
  settings.flags = arguments.list("--flag");
  for (const std::string& flag : settings.flags) {
    auto good = check_flag(flag);
    if (!good) return while_doing(good.error(), "reading --flag");
  }
  settings.debug_info = arguments.given("--debug-info");
  settings.phases = arguments.given("--phases");
  settings.weights = arguments.given("--weights");
  settings.load_weights = arguments.text("--load-weights");
  settings.trace = arguments.given("--trace");
  settings.track_memory = arguments.given("--track-memory");
  settings.emulate = arguments.given("--emulate");
  if (settings.emulate && settings.threads > 1)
    return error(Code::invalid_input,
                 "--emulate calls code of one thread, and --threads asks for more",
                 "leave out one of them");
  return settings;
}

Result<Request> make_request(const Arguments& arguments, const Places& places) {
  Request request;
  ASSAY_ASSIGN(request.settings, parse_settings(arguments));
  ASSAY_TRY(find_targets(arguments, places, request));
  if (request.settings.emulate) ASSAY_TRY(check_emulators(request.targets, this_machine()));
  // They stand in the place of the compiler's own choice, unless that is asked for, too.
  const bool is_configured = arguments.given("--configs") || arguments.given("--tuned");
  if (!is_configured || arguments.typed("--by")) {
    ASSAY_ASSIGN(request.authors, find_authors(arguments.list("--by"), "--by"));
  }
  auto add = [&](Author author) {
    if (std::ranges::find(request.authors, author.name, &Author::name) == request.authors.end())
      request.authors.push_back(std::move(author));
  };
  if (arguments.given("--configs")) {
    ASSAY_ASSIGN(auto configured,
                 find_configured_authors(arguments.list("--configs"), places, request.targets));
    for (Author& author : configured) add(std::move(author));
  }
  if (arguments.given("--tuned")) {
    const std::string iree =
        arguments.given("--iree") ? absolute_path(arguments.text("--iree")) : "";
    ASSAY_ASSIGN(Author tuned, find_tuned_author(arguments.text("--tuned"), places, iree,
                                                 request.settings.compiler));
    add(std::move(tuned));
  }
  ASSAY_TRY(find_work(arguments, places, "", request, true));
  ASSAY_TRY(load_weights(request));
  return request;
}

// The same for programs, an object on each line.
void print_plan_as_json(const Request& request, const Plan& plan, Output& output) {
  for (const Lane& lane : plan.lanes)
    for (const Planned& planned : lane.planned) {
      const Attempt& attempt = planned.attempt;
      output.write(dump_json({{"event", "attempt"},
                              {"id", attempt.id},
                              {"path", attempt.path},
                              {"author", attempt.author},
                              {"candidate", attempt.candidate},
                              {"given_as", attempt.origin.author},
                              {"target", attempt.target}}) +
                   "\n");
    }
  output.write(dump_json({{"event", "plan"},
                          {"schema", kSchema},
                          {"attempts", plan.attempts},
                          {"workloads", request.workloads.size()},
                          {"authors", request.authors.size()},
                          {"targets", request.targets.size()},
                          {"folder", request.folder},
                          {"not_applicable", plan.not_applicable},
                          {"notes", plan.notes}}) +
               "\n");
}

void print_plan(const Request& request, const Plan& plan, Output& output) {
  for (const Lane& lane : plan.lanes)
    for (const Planned& planned : lane.planned) {
      const std::string file = file_beside_id(planned.attempt);
      output.write(planned.attempt.id + (file.empty() ? "" : " (" + printable(file, false) + ")") +
                   "\n");
    }
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
    if (arguments.given("--json"))
      print_plan_as_json(request, plan, output);
    else
      print_plan(request, plan, output);
    return 0;
  }
  std::set<std::string> planned;
  for (const Lane& lane : plan.lanes)
    for (const Planned& each : lane.planned) planned.insert(each.attempt.id);

  ASSAY_ASSIGN(auto opened,
               open_run_place(places, request, verifies(plan), arguments.given("--trust")));
  ASSAY_TRY(prepare_emulated(places, plan, output));
  RunStore& store = *opened->store;
  output.remark(missing_in_words(request.settings));
  ASSAY_ASSIGN(const auto watcher, watch_if_asked(arguments, store.folder(), output));
  auto progress = make_progress(progress_style(arguments, output), output, system_clock());
  if (replayed) {
    replayed->replay.differs =
        what_differs(system_disk(), *replayed, plan, opened->tools, opened->record.machine);
    plan.lanes.front().planned.front().attempt.replay = replayed->replay;
    progress->note(replay_in_words(*replayed));
  }
  for (const std::string& line : plan.notes) progress->note(printable(line, false) + "\n");
  Status ran;
  {
    NowEvents events(system_disk(), store.folder(), system_clock(), *progress);
    ran = run_plan(request, opened->tools, std::move(plan), store, opened->place->world(events));
  }
  // Also when it was interrupted: the report is always about what is in the folder.
  auto attempts_now = write_reports(store);
  ASSAY_TRY(ran);
  if (arguments.given("--save-cmds")) ASSAY_TRY(write_commands(store));
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
