#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/escape.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/add_target.h"
#include "cli/command.h"
#include "cli/find_work.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/recorded_run.h"
#include "cli/report_sink.h"
#include "cli/run_place.h"
#include "cli/watch_page.h"
#include "cli/write_progress.h"
#include "provider/replay.h"
#include "report/search_results.h"
#include "search/writing.h"
#include "session/now_events.h"

namespace assay {
namespace {

enum class Until { answer, verify };
constexpr Word<Until> kUntilWords[] = {{Until::answer, "answer"}, {Until::verify, "verify"}};

// Without the option it is what HipKittens' users have in their environment.
Result<int> parse_samples(const Arguments& arguments) {
  constexpr const char *kOption = "--samples", *kVariable = "NUM_SAMPLES";
  const std::string value = environment_variable(kVariable);
  if (arguments.typed(kOption) || value.empty())
    return parse_count(kOption, arguments.text(kOption));
  return parse_count(kVariable, value);
}

// "1.2x", or "1.2".
Result<double> parse_goal(std::string text) {
  const std::string written = text;
  if (text.ends_with('x')) text.pop_back();
  double goal = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), goal);
  if (failed != std::errc() || end != text.data() + text.size() || !(goal > 0 && goal <= 1e6))
    return error(Code::invalid_input, fmt::format("--goal '{}' is no ratio", written),
                 "1.0x is as fast as the baseline, 1.2x a fifth faster");
  return goal;
}

Result<std::vector<Writer>> find_writers(const Arguments& arguments,
                                         const ReadRecording& recording) {
  std::vector<Writer> writers;
  std::set<std::string> names;
  if (arguments.list("--model").empty())
    return error(Code::invalid_input, "it does not say which model is to write",
                 "--model PROVIDER:NAME; `assay list providers` says what there is");
  for (const std::string& written : models_in(arguments.list("--model"))) {
    Writer writer;
    ASSAY_ASSIGN(writer.model, find_model(written));
    if (!names.insert(writer.model.author).second)
      return error(
          Code::invalid_input,
          fmt::format("--model {}: another one would be '{}', too", written, writer.model.author),
          "name each model once; the same of two providers goes into two runs");
    ASSAY_ASSIGN(writer.provider, open_provider(system_disk(), writer.model, recording));
    if (writer.model.type->name == "replay" &&
        !recording_name(system_disk(), writer.model.name).folder.empty()) {
      ASSAY_ASSIGN(writer.recorded, recorded_run(writer.model.name));
    }
    if (arguments.given("--recorded-verdicts"))
      ASSAY_TRY(take_verdicts(writer, arguments.text("--lang")));
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
  ASSAY_TRY(find_targets(arguments, places, request.run));
  ASSAY_TRY(refuse_other_cpus(request.run.targets));
  ASSAY_TRY(find_work(arguments, places, environment_variable("KERNELBENCH_DIR"), request.run));
  ASSAY_TRY(refuse_without_model(request.run.workloads, "write"));
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
  ASSAY_ASSIGN(terms.samples, parse_samples(arguments));
  ASSAY_ASSIGN(terms.goal, parse_goal(arguments.text("--goal")));
  terms.is_timed = settings.timing.has_value();
  ASSAY_ASSIGN(terms.allowed, parse_allowed(arguments));
  ASSAY_ASSIGN(request.parameters, parse_parameters(arguments.list("--param")));
  ASSAY_ASSIGN(request.language, parse_word("--lang", arguments, write_languages()));
  ASSAY_ASSIGN(int calls, parse_count("--calls", arguments.text("--calls")));
  request.calls_at_once = static_cast<size_t>(calls);
  if (arguments.given("--from")) {
    if (request.only_answers)
      return error(Code::invalid_input,
                   "--until answer does not fit --from: the first question tells what the judge "
                   "finds in that kernel",
                   "leave out --until or --from");
    request.from = absolute_path(arguments.text("--from"));
    if (!system_disk().exists(request.from))
      return error(Code::not_found, "--from: there is no '" + request.from + "'");
  }
  if (arguments.given("--spend")) {
    ASSAY_ASSIGN(request.spend, parse_spend(arguments.text("--spend")));
  }
  return request;
}

Result<TargetPrompts> open_prompts(const Arguments& arguments, const Places& places,
                                   const WriteRequest& request, const std::string& python) {
  PromptSetting setting{.places = places,
                        .language = request.language,
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
  return TargetPrompts::open(system_disk(), setting, request.run.targets);
}

// What `times` of each of these calls cost by each model that has a price.
std::string most_usd_in_words(const std::vector<std::string>& models, const Prices& prices,
                              const std::vector<Usage>& calls, int times) {
  std::string words;
  for (const std::string& written : models) {
    auto model = find_model(written);
    if (!model || !prices.cost(model->name, {})) continue;
    double usd = 0;
    for (const Usage& call : calls) usd += times * prices.cost(model->name, call).value_or(0);
    words += fmt::format("  {}: about {:.2f} usd for these\n", printable(written, false), usd);
  }
  return words;
}

void print_first_prompts(const std::vector<FirstPrompt>& prompts, const WriteRequest& request,
                         const std::vector<std::string>& models, const Prices& prices,
                         Output& output) {
  const int64_t limit = token_limit(request.parameters);
  int64_t tokens = 0;
  std::vector<Usage> calls;
  for (const FirstPrompt& each : prompts) {
    const bool is_one_of_many = request.run.targets.size() > 1;
    output.write(fmt::format("== {}{}\n", printable(each.problem, false),
                             is_one_of_many ? " on " + each.target : ""));
    if (!each.prompt.system.empty())
      output.write("-- system\n" + printable(each.prompt.system, true) + "\n-- prompt\n");
    output.write(printable(each.prompt.user, true) + "\n");
    tokens += each.prompt.tokens;
    calls.push_back({.input = each.prompt.tokens, .output = limit});
  }
  if (!request.from.empty())
    output.write("the first question tells, too, what the judge finds in " +
                 printable(request.from, false) + "\n");
  const int most = request.strategy->most_answers(request.terms);
  output.write(fmt::format(
      "{} prompts of about {} tokens together; at most {} answers a problem, so about {} tokens of "
      "prompts with each model, and more where code and errors are told\n"
      "answers of at most {} tokens each: at most {} tokens of answers with each model\n{}",
      prompts.size(), tokens, most, tokens * most, limit,
      static_cast<int64_t>(prompts.size()) * most * limit,
      most_usd_in_words(models, prices, calls, most)));
}

// 4: --spend ended one before its goal; else as the worst of the searches.
int status_of(const Written& written, bool only_answers) {
  const bool reached_all = std::ranges::all_of(written.searches, [](SearchStatus each) {
    return each == SearchStatus::success || each == SearchStatus::compiled;
  });
  if (!written.spend_ended.empty() && (only_answers || !reached_all)) return 4;
  int status = written.lacks_answers ? 2 : 0;
  if (only_answers) return status;
  for (SearchStatus each : written.searches) switch (each) {
      case SearchStatus::success:
      case SearchStatus::compiled:  // no more can be had here
        break;
      case SearchStatus::not_judged:
        status = 2;
        break;
      default:
        status = std::max(status, 1);
    }
  return status;
}

std::unexpected<Error> another_search(const std::string& what) {
  return error(Code::refused, "this run was begun with " + what,
               "name another folder with --out, or go on with the same");
}

// "temperature=0.1, max_tokens=100".
std::string parameters_in_words(const Json& parameters) {
  std::string words;
  for (const auto& [name, value] : parameters.items())
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", name, dump_json(value));
  return words.empty() ? "none" : words;
}

// What a search is asked for beside its terms, for its record. `before`: what the run has of it.
Json asked_for(const WriteRequest& request, const TargetPrompts& prompts, const Prices& prices,
               const Json& before) {
  const SpendLimits& spend = request.spend;
  Json asked{
      {"params", request.parameters},
      {"prompts",
       {{"identity", prompts.identity()},
        {"templates", prompts.templates_identity()},
        {"context", prompts.context_identity()}}},
      {"spend",
       {{"tokens", or_null(spend.tokens)},
        {"usd", or_null(spend.usd)},
        {"s", spend.wall_ns ? Json(static_cast<double>(*spend.wall_ns) / 1e9) : Json(nullptr)}}},
      {"searches", request.searches()},
      {"answers", request.strategy->most_answers(request.terms)},
      {"prices", field_or(before, "prices", Json())}};
  if (!asked["prices"].is_array()) asked["prices"] = Json::array();
  // Of a run that is continued after a price has changed, both.
  for (const Writer& writer : request.writers) {
    Json snapshot = prices.snapshot(writer.model.name);
    snapshot["asked"] = writer.model.written;
    Json& all = asked["prices"];
    if (std::ranges::find(all, snapshot) == all.end()) all.push_back(std::move(snapshot));
  }
  return asked;
}

Status same_questions(const Json& before, const Json& now) {
  if (!before.is_object()) return {};  // of an assay that did not keep it
  const Json parameters = field_or(before, "params", Json());
  if (parameters != now["params"])
    return another_search(fmt::format("other parameters: {}, and --param says {} now",
                                      parameters_in_words(parameters),
                                      parameters_in_words(now["params"])));
  const Json prompts = field_or(before, "prompts", Json());
  for (const auto& [part, what] :
       {std::pair("templates", "other prompts: the templates, or the text of --prompt, differ now"),
        {"context", "other prompts: the files of --context differ now"}})
    if (field_or(prompts, part, Json()) != now["prompts"][part]) return another_search(what);
  return {};
}

// Refuses what would make another search of one that has begun. More attempts, samples or --spend
// go on with it.
Status same_search(SearchStore& store, const WriteRequest& request, const TargetPrompts& prompts,
                   const Prices& prices) {
  ASSAY_TRY(store.create());
  ASSAY_ASSIGN(auto before, store.terms());
  const Json known = before.value_or(Json());  // bytes that may be anybody's
  Json terms = to_json(request.terms);
  const Json asked_before = field_or(known, "asked", Json());
  terms["asked"] = asked_for(request, prompts, prices, asked_before);
  terms["lang"] = request.language;
  for (const char* time : {kWallNs, kJudgeIdleNs}) terms[time] = field_or(known, time, int64_t{0});
  terms[kPlaces] = field_or(known, kPlaces, Json::object());
  for (const char* fixed : {"lang", "search"})
    if (before && field_or(known, fixed, Json()) != terms[fixed])
      return another_search(fmt::format("--{} {}", fixed, field_or(known, fixed, std::string())));
  ASSAY_TRY(same_questions(asked_before, terms["asked"]));
  ASSAY_ASSIGN(SearchRecord record, store.record());
  ASSAY_TRY(same_work(request, system_disk(), std::move(record)));
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
  ASSAY_ASSIGN(Prices prices, Prices::load(system_disk(), places.prices));
  if (arguments.given("--dry-run")) {
    const std::vector<std::string> models = models_in(arguments.list("--model"));
    for (const std::string& written : models) {
      ASSAY_ASSIGN(ModelName model, find_model(written));
      ASSAY_TRY(check_priced(request.spend, model.name, prices));
      ASSAY_TRY(check_parameters(model, request.parameters));
    }
    ASSAY_ASSIGN(auto first, first_prompts(request, system_disk(), prompts));
    print_first_prompts(first, request, models, prices, output);
    return 0;
  }
  ASSAY_ASSIGN(request.writers, find_writers(arguments, recording_of_run));
  for (const Writer& writer : request.writers) {
    ASSAY_TRY(check_priced(request.spend, writer.model.name, prices));
    ASSAY_TRY(check_parameters(writer.model, request.parameters));
  }
  ASSAY_ASSIGN(auto opened, open_run_place(places, request.run, request.is_judged(),
                                           arguments.given("--trust")));
  RunStore& store = *opened->store;
  output.remark(missing_in_words(request.run.settings));
  SearchStore search = store.search();
  ASSAY_TRY(same_search(search, request, prompts, prices));
  ASSAY_ASSIGN(const auto watcher, watch_if_asked(arguments, store.folder(), output));
  const ProgressStyle style = progress_style(arguments, output);
  const bool is_told = style == ProgressStyle::lines || style == ProgressStyle::terminal;
  auto progress = make_write_progress(style, output, request.searches());
  const WriteTools tools{opened->tools, prompts, prices, this_machine(), store};
  Events nobody;
  std::optional<NowEvents> events(std::in_place, system_disk(), store.folder(), system_clock(),
                                  nobody);
  events->may_come_to(request.searches() *
                      static_cast<size_t>(request.strategy->most_answers(request.terms)));
  auto written = run_writing(request, tools, *progress, opened->place->world(*events));
  events.reset();
  progress.reset();
  // Also when it was interrupted: the report is always about what is in the folder.
  auto reported = write_reports(store);
  if (!written) return std::unexpected(written.error());
  if (!reported) return std::unexpected(reported.error());
  if (style != ProgressStyle::quiet) {
    ASSAY_ASSIGN(auto record, search.record());
    const Changes changes =
        request.takes_verdicts ? Changes{} : changes_in(record, request.writers);
    if (is_told)
      output.write(search_summary_in_words(record) + in_words(changes));
    else if (changes.compared > 0)
      output.write(dump_json({{"event", "replayed"}, {"changes", to_json(changes)}}) + "\n");
  }
  for (const std::string& why : written->shut_out) output.remark(why + "\n");
  if (!written->spend_ended.empty()) output.remark(written->spend_ended + "\n");
  if (is_told) output.write("report: " + join_path(request.run.folder, "report.md") + "\n");
  return status_of(*written, request.only_answers);
}

}  // namespace assay
