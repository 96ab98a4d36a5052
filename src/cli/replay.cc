#include "cli/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/escape.h"
#include "base/hash.h"
#include "base/version.h"
#include "cli/add_target.h"
#include "cli/find_attempt.h"
#include "cli/find_authors.h"
#include "cli/find_work.h"
#include "cli/open_run.h"
#include "report/comparison.h"
#include "report/format.h"
#include "report/verification.h"
#include "session/keys.h"
#include "setup/emulators.h"
#include "setup/tools.h"

namespace assay {
namespace {

// What does not change what an attempt is.
constexpr std::string_view kAllowed[] = {"--again", "--out",     "--jobs",  "--iree",  "--trust",
                                         "--json",  "--dry-run", "--quiet", "--force", "--watch"};

Status refuse_other_options(const Arguments& arguments) {
  for (const Option& option : find_command("run")->options)
    if (arguments.typed(option.name) &&
        std::ranges::find(kAllowed, option.name) == std::end(kAllowed))
      return error(Code::invalid_input,
                   fmt::format("{} cannot be given with --again: an attempt is replayed with all "
                               "that it was made with",
                               option.name),
                   "leave it out; `assay show RUN ATTEMPT` has the command that makes it afresh");
  return {};
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Whether an attempt came as far as inputs that could be drawn again.
Status can_be_replayed(const Attempt& attempt) {
  bool verified = std::ranges::any_of(attempt.stages, [](const StageRecord& stage) {
    return stage.stage == Stage::verify || stage.stage == Stage::smoke;
  });
  if (verified && !attempt.seed.empty() && !attempt.origin.author.empty()) return {};
  std::string why = verified && !attempt.seed.empty() ? "its record does not say what made it"
                    : verified                        ? "its record has no seed"
                                                      : "it was not verified";
  return error(
      Code::invalid_input,
      fmt::format("{} cannot be replayed: {} ({})", attempt.id, why, verdict_in_words(attempt)),
      "this makes it afresh: " + attempt.reproduce);
}

Result<Author> author_of(const Attempt& attempt) {
  ASSAY_ASSIGN(Author author, find_author(system_disk(), attempt.origin.author));
  author.name = attempt.author;
  author.number = attempt.candidate;
  return author;
}

std::string first_mismatch(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (stage.stage == Stage::verify || stage.stage == Stage::smoke)
      return first_mismatch_in_words(stage.evidence);
  return "";
}

std::string in_words(const Attempt& attempt) {
  std::string text = verdict_in_words(attempt);
  std::string at = first_mismatch(attempt);
  return at.empty() ? text : text + ", " + at;
}

const ArtifactRecord* artifact(const Attempt& attempt) {
  auto found = std::ranges::find(attempt.artifacts, kArtifactName, &ArtifactRecord::name);
  return found == attempt.artifacts.end() ? nullptr : &*found;
}

// Files of the hub are no ingredient that a plan knows of: fingerprints with them always differ.
bool read_files_of_the_hub(const Attempt& attempt) {
  return std::ranges::any_of(attempt.stages, [](const StageRecord& stage) {
    return stage.evidence.is_object() && stage.evidence.contains("hub_files");
  });
}

}  // namespace

Result<Replayed> find_replayed(const Arguments& arguments) {
  ASSAY_TRY(refuse_other_options(arguments));
  const auto& named = arguments.positional("PATH...");
  if (named.size() != 1)
    return error(Code::invalid_input,
                 fmt::format("--again replays one attempt, and {} are named", named.size()),
                 "assay run --again RUN ATTEMPT");
  ASSAY_ASSIGN(RunStore store, open_run(arguments.text("--again")));
  Replayed replayed;
  ASSAY_ASSIGN(replayed.attempt, find_attempt(store, named.front()));
  ASSAY_TRY(can_be_replayed(replayed.attempt));
  replayed.run = store.record();
  replayed.replay = {absolute_path(arguments.text("--again")), replayed.attempt.id, {}};
  return replayed;
}

Result<Request> replay_request(const Replayed& replayed, const Places& places) {
  const Attempt& attempt = replayed.attempt;
  Request request;
  request.settings = replayed.run.settings;
  request.settings.replay = replayed.replay;
  request.seed = attempt.seed;
  request.iree = attempt.origin.iree;
  auto found = find_workloads(system_disk(), {attempt.path});
  if (!found) return while_doing(found.error(), "looking for the problem of " + attempt.id);
  request.workloads = std::move(*found);
  Workload& workload =
      request.workloads.front();  // has the attempt's id, whatever else was run beside it
  workload.suite = attempt.suite;
  workload.level = attempt.level;
  workload.name = attempt.workload;
  ASSAY_TRY(load_weights(request));
  auto author = author_of(attempt);
  if (!author) return while_doing(author.error(), "looking for the candidate of " + attempt.id);
  request.authors = {std::move(*author)};
  ASSAY_ASSIGN(request.baselines, find_baselines(request.settings.timing));
  ASSAY_TRY(add_target(target_catalog(system_disk(), places), attempt.origin.target,
                       request.settings, request.targets));
  if (request.settings.emulate) ASSAY_TRY(check_emulators(request.targets, this_machine()));
  return request;
}

std::string replay_folder(const Replayed& replayed) {
  constexpr size_t kLongest = 120;  // for a name that every file system takes
  std::string name = replayed.attempt.id;
  if (name.size() > kLongest) name = name.substr(0, kLongest) + "-" + sha256(name).substr(0, 16);
  std::ranges::replace(name, '/', '.');
  std::string run = file_name(replayed.replay.run);
  return join_path(join_path("runs/again", run.empty() ? "run" : run), name);
}

std::vector<std::string> what_differs(const Disk& disk, const Replayed& replayed, const Plan& plan,
                                      const Tools& tools, const Json& machine) {
  const Attempt& then = replayed.attempt;
  const Lane& lane = plan.lanes.front();
  const Planned& planned = lane.planned.front();
  std::vector<std::string> lines;
  auto loaded = load_workload(disk, lane.workload);
  std::string problem = loaded ? hash_of(*loaded) : "";
  const LoadedWeights* weights = lane.workload.weights.get();
  if (weights && weights->sha256 != replayed.run.settings.weights_sha256)
    lines.push_back("the weights have changed since: " + weights->folder);
  else if (problem != then.origin.problem_sha256)
    lines.push_back(fmt::format("the problem's file has changed since: {}", then.path));
  CandidateSubject candidate = candidate_subject(disk, planned);
  if (candidate.hash != then.origin.candidate_sha256)
    lines.push_back(
        fmt::format("the candidate's file, or one handed in with it, has changed since: {}",
                    planned.candidate.shown_path()));
  RunRecord now{replayed.run.settings, kVersionText, replayed.run.created, machine};
  for (const Difference& each :
       compare({"", replayed.run, {}}, {"", std::move(now), {}}, {}).differences)
    if (each.what != "memory")  // a kernel's update moves it by a page
      lines.push_back(fmt::format("{}: {} then, {} now", each.what, each.a, each.b));
  std::string isolation(to_word(kIsolationWords, tools.verify.isolation));
  if (isolation != then.isolation)
    lines.push_back(fmt::format("isolation: {} then, {} now", then.isolation, isolation));
  ExportSubject subject{then.path, problem, lane.precision, lane.route};
  bool same = fingerprint(subject, candidate, *planned.target, replayed.run.settings, tools) ==
              then.fingerprint;
  if (lines.empty() && !same && !read_files_of_the_hub(then))
    lines.emplace_back(
        "the target's flags, Python's packages, or what assay does have changed since");
  return lines;
}

std::string replay_in_words(const Replayed& replayed) {
  std::string text = fmt::format("replays {} of {}: {}\n", replayed.attempt.id, replayed.replay.run,
                                 in_words(replayed.attempt));
  for (const std::string& line : replayed.replay.differs)
    text += "    differs: " + printable(line, false) + "\n";
  return text;
}

std::string outcome_in_words(const Attempt& before, const Attempt& now) {
  std::string text;
  const ArtifactRecord *was = artifact(before), *is = artifact(now);
  if (was && is && was->sha256 != is->sha256) text += "the artifact is another one than then\n";
  const StageRecord *decided = before.deciding_stage(), *decides = now.deciding_stage();
  bool same = in_words(before) == in_words(now) &&
              (decided ? decided->error : "") == (decides ? decides->error : "");
  if (same) return text + "the same as then: " + in_words(now) + "\n";
  text += "not the same as then: it was " + in_words(before) + "\n";
  if (decided) text += "    " + printable(decided->error, false) + "\n";
  return text;
}

}  // namespace assay
