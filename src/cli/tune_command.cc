#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "author/author.h"
#include "base/rows.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/find_work.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/report_sink.h"
#include "cli/run_place.h"
#include "cli/tune_progress.h"
#include "cli/watch_page.h"
#include "session/now_events.h"
#include "tune/tuning.h"

namespace assay {
namespace {

Result<uint64_t> parse_seed(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (failed != std::errc() || end != text.data() + text.size() || seed > (uint64_t{1} << 31))
    return error(Code::invalid_input, fmt::format("--seed '{}' is no number up to 2^31", text));
  return seed;
}

Result<TuneRequest> make_tune_request(const Arguments& arguments, const Places& places) {
  TuneRequest request;
  RunSettings& settings = request.run.settings;
  ASSAY_TRY(parse_how_to_judge(arguments, settings));
  ASSAY_ASSIGN(settings.timing, parse_timing(arguments));
  if (!settings.timing) settings.timing.emplace().budget_ns = 60'000'000'000;
  settings.timing->against = {std::string(default_author().name)};
  ASSAY_TRY(find_targets(arguments, places, request.run));
  ASSAY_TRY(find_work(arguments, places, "", request.run));
  request.run.baselines.clear();  // a finalist's alone
  ASSAY_TRY(add_ways_of_running(arguments, request.run));
  ASSAY_ASSIGN(const std::string strategy,
               parse_word("--search", arguments, names_of(searchers())));
  request.searcher = find_row(searchers(), strategy);
  ASSAY_ASSIGN(request.spend_ns, parse_duration("--spend", arguments.text("--spend")));
  ASSAY_ASSIGN(request.seed, parse_seed(arguments.text("--seed")));
  // What is for no target at hand is no point of its space.
  for (const std::string& name : arguments.list("--configs")) {
    ASSAY_ASSIGN(ConfigurationSet set, find_configurations(system_disk(), places.configs, name));
    request.spaces.push_back(std::move(set));
  }
  request.guide = join_path(places.python, "assay_worker/guide.py");
  return request;
}

int status_of(const std::vector<TuneResult>& results) {
  const bool all_judged = std::ranges::all_of(results, [](const TuneResult& each) {
    return each.default_ns > 0 && (each.is_judged || each.winner);
  });
  if (!all_judged) return 2;
  return std::ranges::all_of(results,
                             [](const TuneResult& each) { return each.winner.has_value(); })
             ? 0
             : 1;
}

}  // namespace

Result<int> tune_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(TuneRequest request, make_tune_request(arguments, places));
  if (arguments.given("--dry-run")) {
    ASSAY_ASSIGN(const std::string spaces, spaces_in_words(request, system_disk()));
    output.write(spaces);
    return 0;
  }
  ASSAY_ASSIGN(request.python, find_python(places));
  ASSAY_ASSIGN(auto opened, open_run_place(places, request.run, true, arguments.given("--trust")));
  RunStore& store = *opened->store;
  output.remark(missing_in_words(request.run.settings));
  ASSAY_ASSIGN(const auto watcher, watch_if_asked(arguments, store.folder(), output));
  const ProgressStyle style = progress_style(arguments, output);
  auto progress = make_tune_progress(style, output);
  const TuneTools tools{opened->tools, this_machine(), store};
  Events nobody;
  std::optional<NowEvents> events(std::in_place, system_disk(), store.folder(), system_clock(),
                                  nobody);
  auto results = run_tuning(request, tools, *progress, opened->place->world(*events));
  events.reset();
  // Also when it was interrupted: the report is always about what is in the folder.
  auto reported = write_reports(store);
  if (!results) return std::unexpected(results.error());
  if (!reported) return std::unexpected(reported.error());
  if (style == ProgressStyle::terminal || style == ProgressStyle::lines) {
    if (std::ranges::any_of(*results,
                            [](const TuneResult& each) { return each.winner.has_value(); }))
      output.write("tuned: " + join_path(request.run.folder, kTunedFile) + "\n");
    output.write("report: " + join_path(request.run.folder, "report.md") + "\n");
  }
  return status_of(*results);
}

}  // namespace assay
