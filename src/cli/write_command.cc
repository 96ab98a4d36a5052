#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/escape.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/find_work.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/recorded_run.h"
#include "cli/report_sink.h"
#include "cli/run_place.h"
#include "cli/watch_page.h"
#include "cli/write_progress.h"
#include "report/search_results.h"
#include "search/writing.h"
#include "session/now_events.h"

namespace assay {
namespace {

enum class Until { answer, verify };
constexpr Word<Until> kUntilWords[] = {{Until::answer, "answer"}, {Until::verify, "verify"}};

std::string or_variable(const Arguments& arguments, const char* option, const char* variable) {
  if (arguments.typed(option)) return arguments.text(option);
  const std::string value = environment_variable(variable);
  return value.empty() ? arguments.text(option) : value;
}

// "1.2x", or "1.2".
Result<double> parse_goal(std::string text) {
  const std::string written = text;
  if (text.ends_with('x')) text.pop_back();
  double goal = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), goal);
  if (failed != std::errc() || end != text.data() + text.size() || goal <= 0 || goal > 1e6)
    return error(Code::invalid_input, fmt::format("--goal '{}' is no ratio", written),
                 "1.0x is as fast as the baseline, 1.2x a fifth faster");
  return goal;
}

// "temperature=0.1": a number, true or false where it reads as one, else a text.
Result<Json> parse_parameters(const std::vector<std::string>& given) {
  Json parameters = Json::object();
  for (const std::string& each : given) {
    const size_t mark = each.find('=');
    if (mark == 0 || mark == std::string::npos)
      return error(Code::invalid_input, fmt::format("--param '{}' is no NAME=VALUE", each),
                   "--param temperature=0.1,max_tokens=16384");
    const std::string value = each.substr(mark + 1);
    auto json = Json::accept(value) ? Json::parse(value) : Json(value);
    parameters[each.substr(0, mark)] = std::move(json);
  }
  return parameters;
}

Result<std::vector<Writer>> find_writers(const Arguments& arguments,
                                         const ReadRecording& recording) {
  std::vector<Writer> writers;
  std::set<std::string> names;
  if (arguments.list("--model").empty())
    return error(Code::invalid_input, "it does not say which model is to write",
                 "--model PROVIDER:NAME; `assay list providers` says what there is");
  for (const std::string& written : arguments.list("--model")) {
    Writer writer;
    ASSAY_ASSIGN(writer.model, find_model(written));
    if (!names.insert(writer.model.author).second)
      return error(
          Code::invalid_input,
          fmt::format("--model {}: another one would be '{}', too", written, writer.model.author),
          "name each model once; the same of two providers goes into two runs");
    ASSAY_ASSIGN(writer.provider, open_provider(system_disk(), writer.model, recording));
    if (writer.model.type->name == "replay" && system_disk().is_directory(writer.model.name)) {
      ASSAY_ASSIGN(writer.recorded, recorded_run(writer.model.name));
    }
    if (arguments.given("--recorded-verdicts")) ASSAY_TRY(take_verdicts(writer));
    writers.push_back(std::move(writer));
  }
  return writers;
}

Result<WriteRequest> make_write_request(const Arguments& arguments, const Places& places) {
  WriteRequest request;
  RunSettings& settings = request.run.settings;
  std::optional<Until> until;
  if (arguments.given("--until")) {
    ASSAY_ASSIGN(until, parse_word("--until", arguments, kUntilWords));
  }
  request.only_answers = until == Until::answer;
  request.takes_verdicts = arguments.given("--recorded-verdicts");
  ASSAY_TRY(parse_how_to_judge(arguments, settings));
  ASSAY_ASSIGN(settings.timing, parse_timing(arguments));
  if (until) settings.timing.reset();
  ASSAY_TRY(find_work(arguments, places, environment_variable("KERNELBENCH_DIR"), request.run));
  ASSAY_TRY(refuse_tests(request.run.workloads, "write"));
  for (const Author& baseline : request.run.baselines)
    if (baseline.type->hands_in_files() || baseline.configurations)
      return error(Code::invalid_input,
                   fmt::format("--against {}: what is written is timed against what is made of the "
                               "problem itself",
                               baseline.reference),
                   "eager, inductor or iree");
  ASSAY_TRY(add_ways_of_running(arguments, request.run));
  SearchTerms& terms = request.terms;
  ASSAY_ASSIGN(terms.strategy, parse_word("--search", arguments, names_of(strategies())));
  request.strategy = find_row(strategies(), terms.strategy);
  const std::pair<const char*, int*> counts[] = {{"--attempts", &terms.attempts},
                                                 {"--drafts", &terms.drafts},
                                                 {"--repairs", &terms.repairs},
                                                 {"--width", &terms.width},
                                                 {"--rounds", &terms.rounds}};
  for (const auto& [option, count] : counts) {
    ASSAY_ASSIGN(*count, parse_count(option, arguments.text(option)));
  }
  ASSAY_ASSIGN(terms.samples,
               parse_count("--samples", or_variable(arguments, "--samples", "NUM_SAMPLES")));
  ASSAY_ASSIGN(terms.goal, parse_goal(arguments.text("--goal")));
  terms.is_timed = settings.timing.has_value();
  terms.allowed = arguments.list("--allow");
  ASSAY_ASSIGN(request.parameters, parse_parameters(arguments.list("--param")));
  ASSAY_ASSIGN(request.language, parse_word("--lang", arguments, write_languages()));
  ASSAY_ASSIGN(int calls, parse_count("--calls", arguments.text("--calls")));
  request.calls_at_once = static_cast<size_t>(calls);
  if (arguments.given("--from")) {
    request.from = absolute_path(arguments.text("--from"));
    if (!system_disk().exists(request.from))
      return error(Code::not_found, "--from: there is no '" + request.from + "'");
  }
  if (arguments.given("--spend")) {
    ASSAY_ASSIGN(request.spend, parse_spend(arguments.text("--spend")));
  }
  return request;
}

Result<std::unique_ptr<Prompts>> open_prompts(const Arguments& arguments, const Places& places,
                                              const WriteRequest& request,
                                              const std::string& python) {
  PromptSetting setting{.places = places,
                        .language = request.language,
                        .target = &request.run.targets.front(),
                        .python = python,
                        .threads = request.run.settings.threads,
                        .goal = request.terms.goal};
  if (auto cache = find_cache_folder()) setting.cache_folder = *cache;
  setting.allow_library = request.terms.allows("library");
  if (arguments.given("--prompts")) setting.folder = absolute_path(arguments.text("--prompts"));
  if (arguments.given("--prompt")) setting.file = absolute_path(arguments.text("--prompt"));
  setting.include = request.run.settings.include;
  for (const std::string& each : arguments.list("--context"))
    setting.context.push_back(absolute_path(each));
  if (request.run.settings.timing) setting.against = request.run.settings.timing->against.front();
  return Prompts::open(system_disk(), std::move(setting));
}

void print_first_prompts(const std::vector<FirstPrompt>& prompts, const WriteRequest& request,
                         Output& output) {
  int64_t tokens = 0;
  for (const FirstPrompt& each : prompts) {
    output.write(fmt::format("== {}\n", printable(each.problem, false)));
    if (!each.prompt.system.empty())
      output.write("-- system\n" + printable(each.prompt.system, true) + "\n-- prompt\n");
    output.write(printable(each.prompt.user, true) + "\n");
    tokens += each.prompt.tokens;
  }
  const int most = request.strategy->most_answers(request.terms);
  output.write(fmt::format(
      "{} prompts of about {} tokens together; at most {} answers a problem, so about {} tokens of "
      "prompts with each model, and more where code and errors are told\n",
      prompts.size(), tokens, most, tokens * most));
}

// 4: --spend ended it; else as the worst of the searches.
int status_of(const Written& written, bool only_answers) {
  if (!written.spend_ended.empty()) return 4;
  int status = 0;
  if (only_answers) return status;
  for (SearchStatus each : written.searches)
    status = std::max(status, each == SearchStatus::success      ? 0
                              : each == SearchStatus::not_judged ? 2
                                                                 : 1);
  return status;
}

// Refuses what would make another search of one that has begun. More attempts, samples or --spend
// go on with it.
Status same_search(SearchStore& store, const WriteRequest& request) {
  ASSAY_TRY(store.create());
  ASSAY_ASSIGN(auto before, store.terms());
  Json terms = to_json(request.terms);
  terms["lang"] = request.language;
  for (const char* time : {kWallNs, kJudgeIdleNs})
    terms[time] = before ? before->value(time, int64_t{0}) : int64_t{0};
  for (const char* fixed : {"lang", "search"})
    if (before && before->value(fixed, Json()) != terms[fixed])
      return error(Code::refused,
                   fmt::format("this run was begun with --{} {}", fixed, before->value(fixed, "")),
                   "name another folder with --out, or go on with the same");
  return store.put_terms(terms);
}

}  // namespace

std::vector<std::string> write_languages() {
  return {"python", "c", "cpp", "triton", "cuda", "hip"};
}

Result<int> write_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(WriteRequest request, make_write_request(arguments, places));
  ASSAY_ASSIGN(std::string python, find_python(places));
  ASSAY_ASSIGN(auto prompts, open_prompts(arguments, places, request, python));
  if (arguments.given("--dry-run")) {
    ASSAY_ASSIGN(auto first, first_prompts(request, system_disk(), *prompts));
    print_first_prompts(first, request, output);
    return 0;
  }
  ASSAY_ASSIGN(request.writers, find_writers(arguments, recording_of_run));
  ASSAY_ASSIGN(Prices prices, Prices::load(system_disk(), places.prices));
  for (const Writer& writer : request.writers)
    ASSAY_TRY(check_priced(request.spend, writer.model.name, prices));
  ASSAY_ASSIGN(auto opened,
               open_run_place(places, request.run, !request.only_answers && !request.takes_verdicts,
                              arguments.given("--trust")));
  RunStore& store = *opened->store;
  output.remark(missing_in_words(request.run.settings));
  SearchStore search = store.search();
  ASSAY_TRY(same_search(search, request));
  ASSAY_ASSIGN(const auto watcher, watch_if_asked(arguments, store.folder(), output));
  const ProgressStyle style = progress_style(arguments, output);
  const bool is_told = style == ProgressStyle::lines || style == ProgressStyle::terminal;
  const size_t searches =
      request.run.workloads.size() * request.run.targets.size() * request.writers.size();
  auto progress = make_write_progress(style, output, searches);
  const WriteTools tools{opened->tools, *prompts, prices, this_machine(), store};
  Events nobody;
  std::optional<NowEvents> events(std::in_place, system_disk(), store.folder(), system_clock(),
                                  nobody);
  events->may_come_to(searches *
                      static_cast<size_t>(request.strategy->most_answers(request.terms)));
  auto written = run_writing(request, tools, *progress, opened->place->world(*events));
  events.reset();
  progress.reset();
  // Also when it was interrupted: the report is always about what is in the folder.
  auto reported = write_reports(store);
  if (!written) return std::unexpected(written.error());
  if (!reported) return std::unexpected(reported.error());
  if (is_told) {
    ASSAY_ASSIGN(auto record, search.record());
    output.write(search_summary_in_words(record));
    if (!request.takes_verdicts) output.write(changes_in_words(record, request.writers));
  }
  if (!written->spend_ended.empty()) output.remark(written->spend_ended + "\n");
  if (is_told) output.write("report: " + join_path(request.run.folder, "report.md") + "\n");
  return status_of(*written, request.only_answers);
}

}  // namespace assay
