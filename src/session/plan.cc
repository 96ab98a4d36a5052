#include "session/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "author/gpu_code.h"
#include "author/offers.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "session/attempts_left_out.h"
#include "target/availability.h"
#include "workload/source.h"

namespace assay {
namespace {

// Every setting that is not what it would be without being said.
std::string settings_in_words(const RunSettings& settings) {
  const RunSettings standard;
  std::string words;
  if (settings.mode != standard.mode) words += " --mode " + settings.mode;
  if (settings.precision)
    words += fmt::format(" --precision {}", to_word(kPrecisionWords, *settings.precision));
  for (const std::string& flag : settings.flags) words += " --flag=" + shell_quote(flag);
  if (settings.compiler != standard.compiler)
    words += fmt::format(" --compiler {}", to_word(kCompilerKindWords, settings.compiler));
  if (settings.debug_info) words += " --debug-info";
  if (settings.phases) words += " --phases";
  if (settings.weights) words += " --weights";
  if (!settings.load_weights.empty())
    words += " --load-weights " + shell_quote(settings.load_weights);
  if (!settings.include.empty()) {
    words += " --include ";
    for (const std::string& folder : settings.include)
      words += (words.ends_with(' ') ? "" : ",") + shell_quote(folder);
  }
  if (settings.counters) words += " --counters";
  if (settings.trace) words += " --trace";
  if (settings.track_memory) words += " --track-memory";
  if (settings.sanitize) words += " --sanitize";
  if (settings.emulate) words += " --emulate";
  if (!settings.policy.empty()) words += " --policy " + shell_quote(settings.policy);
  // A search compiles first what it times later.
  if (const auto& timing = settings.timing; timing && !settings.until) {
    std::string against;
    for (const std::string& each : timing->against)
      against += (against.empty() ? "" : ",") + shell_quote(each);
    words += timing->profile ? " --profile" : " --against " + against;
    if (timing->quick) words += " --quick";
    words += " --budget " + exact_duration(timing->budget_ns);
    if (timing->cache != CacheMode::hot)
      words += fmt::format(" --cache {}", to_word(kCacheModeWords, timing->cache));
  }
  if (settings.threads != standard.threads) words += fmt::format(" --threads {}", settings.threads);
  if (!settings.require_isolation.empty())
    words += " --require-isolation " + settings.require_isolation;
  return words;
}

std::string reproduce_command(const Workload& workload, const std::string& author,
                              const Target& target, const RunSettings& settings,
                              const Request& request) {
  const auto& until = settings.until;
  RunSettings its = settings;  // of this target
  its.emulate = settings.emulate && !target.runner.emulator.empty();
  std::string iree = request.iree.empty() ? "" : " --iree " + shell_quote(request.iree);
  return fmt::format("assay run {} --by {} --on {}{}{}{} --timeout {} --memory {} --out {}",
                     shell_quote(workload.path), shell_quote(author), shell_quote(target.reference),
                     until ? fmt::format(" --until {}", to_word(kStageWords, *until)) : "",
                     settings_in_words(its), iree, exact_duration(settings.timeout_ns),
                     exact_bytes(settings.memory_bytes),
                     shell_quote("runs/again-" + workload.name));
}

Attempt identify(const Workload& workload, const Author& author, const Candidate& candidate,
                 const Target& target, const RunSettings& settings, const Request& request) {
  Attempt attempt;
  attempt.workload = workload.name;
  attempt.path = workload.path;
  attempt.suite = workload.suite;
  attempt.level = workload.level;
  attempt.author = author.name;
  attempt.candidate = candidate.number;
  attempt.target = target.name;
  attempt.precision = target.precision;
  attempt.mode = settings.mode;
  attempt.origin = {lasting_reference(author, candidate), target.reference, request.iree, "", ""};
  attempt.replay = settings.replay;
  attempt.reproduce = attempt.replay ? replay_command(attempt.replay->run, attempt.replay->attempt)
                                     : reproduce_command(workload, attempt.origin.author, target,
                                                         settings, request);
  attempt.id = attempt_id(attempt, !author.type->is_default);
  return attempt;
}

// Whether what is compiled for the target is called by an emulator, as far as that can call it.
bool is_emulated(const Request& request, const Form& form, const Target& target,
                 const Machine& machine) {
  return request.settings.emulate && form.is_artifact() && is_to_be_emulated(target, machine);
}

// Whether an attempt goes on to verify: unless the run ends before, where code for the target runs
// in a process of this machine, or on its card, or where it is to be emulated.
bool goes_on_to_verify(const Request& request, const Form& form, const Target& target,
                       const Machine& machine) {
  if (request.settings.until && *request.settings.until < Stage::verify) return false;
  return runs_on_this_cpu(target, machine) || is_called_on_card(form, target) ||
         is_emulated(request, form, target, machine);
}

// Device code is compiled by the same procedure that judges it, as far as it can be without one.
bool is_device_code(const Request& request, const Author& author, const Target& target) {
  return request.settings.until != Stage::export_ && author.type->takes_tests() &&
         target.gpu.has_value();
}

// Whether there is anything to do: of candidates that nobody compiles, verify is all there is.
bool applies(const Request& request, const Author& author, const Target& target,
             const Machine& machine) {
  const Form& form = author.type->own ? *author.type->own->form : python_form();
  return serves(author, target, machine) &&
         (author.type->compiles() || is_device_code(request, author, target) ||
          goes_on_to_verify(request, form, target, machine));
}

std::string_view why_untimed(const std::vector<Workload>& workloads) {
  if (std::ranges::all_of(workloads, &Workload::has_tests))
    return "kernels with tests need a card for that";
  if (std::ranges::all_of(workloads, [](const Workload& w) { return w.truth == Truth::nobody; }))
    return "nothing that was not verified is";
  return "what is asked for does not run on this machine";
}

// Of candidates that are not for the target.
std::string left_out_in_words(size_t count, const std::string& author, const Target& target) {
  return fmt::format("{} of {} on {} ({})", count, author, target.name,
                     target.gpu ? "without code for it in " + gpu_languages() : "for GPUs");
}

ProblemName named(const Workload& workload, const std::string& own_code = "") {
  return {.suite = workload.suite,
          .level = workload.level,
          .name = workload.name,
          .shared_name = workload.shared_name,
          .path = workload.path,
          .own_code = own_code,
          .asked = asked_of(workload),
          .has_tests = workload.has_tests};
}

// Answers to a suite may say no more of their kernel than what the suite's own is.
std::string own_code_of(const Disk& disk, const Workload& workload) {
  if (!workload.has_tests) return "";
  auto loaded = load_workload(disk, workload);
  return loaded && loaded->tests ? sha256(trimmed(loaded->tests->kernel)) : "";
}

// Names what the author hands in for none of the problems. Empty: all is for one.
std::string unmatched(const Author& author, const Offers& offers, bool is_lone, bool is_folder) {
  constexpr size_t kMostNames = 3;
  std::vector<std::string> names = offers.left();
  if (names.empty()) return "";
  std::string more =
      names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
  names.resize(std::min(names.size(), kMostNames));
  return fmt::format("not taken: of {}, {}{}: named as none of these problems{}", author.reference,
                     fmt::join(names, ", "), more,
                     is_lone && is_folder
                         ? ", or no candidate; a pattern, file:FOLDER/*.py, takes whatever it "
                           "matches"
                         : "");
}

// In the place of a baseline that has nothing for a problem: the next one does not take it.
Candidate nothing_there() {
  Candidate candidate;
  candidate.why_none = "it has nothing for the problem";
  return candidate;
}

// A lane has one program. What is compiled of another one is no baseline there.
void keep_to_route(Planned& planned) {
  const Route route = planned.route();
  for (PlannedBaseline& baseline : planned.baselines) {
    if (!baseline.candidate.form->is_artifact() || baseline.candidate.route == route) continue;
    baseline.candidate = {};
    baseline.candidate.why_none =
        "its program comes by another route: time both against eager, and compare these";
  }
}

// The baselines of an attempt on a target, each with what it is compiled for.
std::vector<PlannedBaseline> compiled_for(std::vector<PlannedBaseline> baselines,
                                          const std::vector<Author>& authors,
                                          const ConfiguredWorkload& workload, const Target& target,
                                          std::list<Target>& kept) {
  for (size_t i = 0; i < baselines.size(); ++i) {
    const auto made = target_of(authors[i], workload, target, kept);
    if (made)
      baselines[i].target = *made;
    else
      baselines[i].candidate = nothing_there();
  }
  return baselines;
}

}  // namespace

Lane candidate_lane(const Request& request, const Workload& workload, const Author& author,
                    const Candidate& candidate, const Target& target,
                    std::vector<PlannedBaseline> baselines, std::shared_ptr<const Terms> terms,
                    const Machine& machine) {
  const bool runs_here = goes_on_to_verify(request, *candidate.form, target, machine);
  Planned planned{identify(workload, author, candidate, target, terms->settings, request), &target,
                  candidate, runs_here || is_device_code(request, author, target)};
  if (runs_here && terms->settings.timing) planned.baselines = std::move(baselines);
  for (PlannedBaseline& each : planned.baselines)
    if (!each.target) each.target = &target;
  keep_to_route(planned);
  planned.comparisons = planned.baselines.size();
  Lane lane{.workload = workload,
            .precision = target.precision,
            .route = planned.route(),
            .terms = std::move(terms)};
  lane.planned.push_back(std::move(planned));
  return lane;
}

Result<Plan> make_plan(const Request& request, const Machine& machine) {
  Plan plan;
  const auto terms = std::make_shared<const Terms>(Terms{request.settings, request.seed});
  std::map<std::string, std::string> ids;  // of what each is
  for (const Author& author : request.authors)
    for (const Target& target : request.targets)
      if (!applies(request, author, target, machine))
        plan.not_applicable.push_back(author.name + " on " + target.name);
  std::map<std::pair<size_t, const Target*>, size_t> left_out;  // by the author's place
  std::map<std::string, AttemptsLeftOut> unconfigured;          // by the reason
  auto is_configured = [](const Author& author) { return author.configurations != nullptr; };
  const bool asks_what_it_is = std::ranges::any_of(request.authors, is_configured) ||
                               std::ranges::any_of(request.baselines, is_configured);
  std::vector<Offers> offers, baseline_offers;
  for (const Author& author : request.authors) offers.emplace_back(machine.disk(), author);
  std::vector<size_t> without(offers.size());  // problems that each has nothing for
  bool is_timed = false;                       // any of it may be, if it is asked for
  std::set<std::string> not_for;               // authors that workloads are not for
  std::set<std::string> of_models;             // authors that programs without a model are not for
  for (const Author& author : request.baselines)
    baseline_offers.emplace_back(machine.disk(), author);
  for (const Workload& workload : request.workloads) {
    ConfiguredWorkload configured{workload.path, workload.path, "", {}};
    if (asks_what_it_is)
      if (auto loaded = load_workload(machine.disk(), workload))
        configured = configured_workload(workload, *loaded);
    std::vector<PlannedBaseline> baselines;
    bool has_baseline = false;
    for (size_t i = 0; i < baseline_offers.size(); ++i) {
      const std::string& name = request.baselines[i].name;
      ASSAY_ASSIGN(auto found,
                   baseline_offers[i].for_problem(named(workload), request.workloads.size() == 1,
                                                  Offers::Named::only));
      // Nothing but compilers can be timed against a program that no torch says: what others run is
      // the problem.
      if (workload.truth != Truth::problem && !request.baselines[i].type->compiles()) found.clear();
      if (workload.truth == Truth::nobody) {  // nothing is timed that was not verified
        baselines.push_back({name, nothing_there()});
      } else if (found.empty()) {
        plan.notes.push_back(fmt::format("{} is not timed against {}, which has nothing for it",
                                         workload.name, request.baselines[i].reference));
        baselines.push_back({name, nothing_there()});
      } else {
        baselines.push_back({name, std::move(found.front())});
        has_baseline = true;
      }
    }
    if (workload.truth == Truth::nobody)
      plan.notes.push_back(fmt::format(
          "{} is compared with what a plain compile of it computes, and not accepted for that: no "
          "{}.py or .npz beside it says what is right",
          workload.path, workload.name));
    if (!has_baseline) baselines.clear();  // it is only verified
    std::map<std::pair<Precision, Route>, Lane> exported;
    std::vector<Lane> others;
    const std::string own_code = own_code_of(machine.disk(), workload);
    for (size_t i = 0; i < offers.size(); ++i) {
      const Author& author = request.authors[i];
      const std::string configuration = author.configuration();
      const bool chooses = author.type->compiles() && configuration.empty();
      if (!request.filter.admits(
              workload.selection_path(),
              workload.other_names(chooses ? std::string(kDefaultTile) : configuration)))
        continue;
      if (workload.has_tests ? !author.type->takes_tests() : author.type->is_of_tests) {
        not_for.insert(author.name);
        continue;
      }
      ASSAY_ASSIGN(auto found,
                   offers[i].for_problem(named(workload, own_code), request.workloads.size() == 1));
      if (found.empty()) ++without[i];
      for (const Candidate& candidate : found) {
        const bool has_target = std::ranges::any_of(request.targets, [&](const Target& target) {
          return applies(request, author, target, machine) &&
                 (workload.has_tests || is_for(candidate, target, machine.disk()));
        });
        for (const Target& asked : request.targets) {
          if (!applies(request, author, asked, machine)) continue;
          // Such a problem is its program, which compilers take as it stands.
          if (workload.truth != Truth::problem &&
              (!author.type->compiles() || candidate.route != Route::torch)) {
            of_models.insert(author.name);
            continue;
          }
          // One that is for none of them is not judged here, and says what it needs.
          const bool is_here = has_target || asked.gpu;
          if (is_here && !workload.has_tests && !is_for(candidate, asked, machine.disk())) {
            ++left_out[{i, &asked}];
            continue;
          }
          const Target& typed = retyped(asked, workload.precision, plan.own_targets);
          const auto made = target_of(author, configured, typed, plan.own_targets);
          if (!made) {
            unconfigured[made.error()].add(author.name, workload.name);
            continue;
          }
          const Target& target = **made;
          Attempt attempt =
              identify(workload, author, candidate, target, request.settings, request);
          const std::string what = fmt::format("{} by {}", attempt.path, attempt.origin.author);
          if (auto [other, is_new] = ids.try_emplace(attempt.id, what); !is_new)
            return error(Code::invalid_input,
                         fmt::format("two attempts would both be '{}': {}, and {}", attempt.id,
                                     other->second, what),
                         "rename one of the files or folders, or run them into different folders "
                         "with --out");
          const bool runs_here = goes_on_to_verify(request, *candidate.form, target, machine);
          Planned planned{std::move(attempt), &target, candidate,
                          runs_here || is_device_code(request, author, target)};
          planned.pass = offers[i].pass_of(candidate);
          const bool is_played =
              runs_here && is_emulated(request, *candidate.form, target, machine);
          if (is_played) planned.candidate.form = emulated_form(target.runner.emulator);
          if (runs_here && !is_played)
            planned.baselines =
                compiled_for(baselines, request.baselines, configured, typed, plan.own_targets);
          keep_to_route(planned);
          is_timed |=
              runs_here && !is_played && !workload.has_tests && workload.truth != Truth::nobody;
          const Route route = planned.route();
          Lane& lane = planned.needs_artifact() ? exported[{target.precision, route}]
                                                : others.emplace_back();
          lane.route = route;
          lane.workload = workload;
          lane.terms = terms;
          lane.precision = target.precision;
          lane.planned.push_back(std::move(planned));
          ++plan.attempts;
        }
      }
    }
    for (auto& [at, lane] : exported) plan.lanes.push_back(std::move(lane));
    for (Lane& lane : others) plan.lanes.push_back(std::move(lane));
  }
  for (size_t i = 0; i < offers.size(); ++i) {
    const Author& author = request.authors[i];
    if (!author.type->hands_in_files()) continue;
    if (!offers[i].are_taken())
      return error(
          Code::not_found,
          fmt::format("--by {}: nothing there is named as any of the problems is",
                      author.reference),
          "a candidate for NAME.py is NAME.py, NAME.c, NAME.md and so on, further ones are "
          "NAME__s2.py; for an operation matmul.c, or as --dry-run names it; in a .jsonl file, "
          "lines with \"problem\": \"NAME\"");
    if (std::string line = unmatched(author, offers[i], request.workloads.size() == 1,
                                     machine.disk().is_directory(author.path));
        !line.empty())
      plan.notes.push_back(std::move(line));
    for (const std::string& odd : offers[i].odd()) plan.notes.push_back("not taken: " + odd);
    if (request.settings.timing && without[i] > 0)
      plan.notes.push_back(fmt::format(
          "{} has no file for {} of {} problems; its percentages and means leave them out",
          author.reference, without[i], request.workloads.size()));
  }
  plan.notes.insert(plan.notes.end(), request.notes.begin(), request.notes.end());
  for (const auto& [why, which] : unconfigured) plan.notes.push_back(which.in_words(why));
  for (const auto& [which, count] : left_out)
    plan.not_applicable.push_back(
        left_out_in_words(count, request.authors[which.first].name, *which.second));
  if (request.settings.timing && request.settings.threads > request.cores)
    plan.notes.push_back(
        fmt::format("--threads {}: {} cores may be used here, so in what is timed threads wait for "
                    "each other",
                    request.settings.threads, request.cores));
  if (request.settings.timing && !is_timed && plan.attempts > 0)
    plan.notes.push_back(fmt::format("nothing is timed: {}", why_untimed(request.workloads)));
  if (plan.attempts > 0) return plan;
  auto nothing_for = [](const std::string& what, const std::string& next) {
    return error(Code::invalid_input, "there is nothing to do for " + what, next);
  };
  if (!not_for.empty())
    return nothing_for(fmt::format("{} here", fmt::join(not_for, ", ")),
                       "kernels with tests (triton:) are run by `reference` and by files of "
                       "answers, --by file:RESULTS; `reference` is for these alone");
  if (!of_models.empty())
    return nothing_for(
        fmt::format("{} here", fmt::join(of_models, ", ")),
        "programs without a model in torch beside them are for compilers: --by iree");
  if (!plan.not_applicable.empty())
    return nothing_for(fmt::format("{}", fmt::join(plan.not_applicable, ", ")),
                       fmt::format("candidates of {} are {}",
                                   one_of(names_of_authors(&AuthorType::compiles, false)),
                                   request.settings.until && *request.settings.until < Stage::verify
                                       ? "not compiled but verified: leave out --until"
                                       : "verified, on targets that are this machine's CPU; for "
                                         "GPUs code in " +
                                             gpu_languages() + " is compiled"));
  if (!unconfigured.empty()) {
    std::string all;
    for (const auto& [why, which] : unconfigured)
      all += (all.empty() ? "" : "; ") + which.in_words(why);
    return error(Code::invalid_input, "nothing is left: " + all,
                 "--by iree adds the compiler's own choice");
  }
  return plan;
}

}  // namespace assay
