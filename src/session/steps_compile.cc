// The steps of a lane whose program is there: a compile for each of its targets.
#include <algorithm>
#include <map>
#include <utility>

#include "compile/flags.h"
#include "run/outcome.h"
#include "session/steps.h"

namespace assay {
namespace {

// What goes into one job is told alike: the same compiler, and flags of the same names.
std::string told(const Target& target, const Tools& tools) {
  if (!target.tuning) return target.compiler;
  std::vector<std::string> names;
  for (const std::string& flag : resolve_flags(target, tools.compiler_for(target).version))
    names.emplace_back(flag_name(flag));
  std::ranges::sort(names);
  return target.compiler + dump_json(names);
}

// Why a target cannot be compiled for here; "": it can.
std::string why_not_here(const Target& target, const std::string& compiler_version) {
  if (!target.unavailable.empty() || !target.tuning) return target.unavailable;
  const std::string& tuned = target.tuning->compiler;
  if (tuned.empty() || compiler_version.empty() || tuned == compiler_version) return "";
  return "the configuration " + target.tuning->configuration + " was tuned with IREE " + tuned +
         ", and this is " + compiler_version + ": tune again";
}

}  // namespace

// One task with all targets that are not in the cache; without any, the lane ends here.
Result<std::vector<Task>> Steps::compile(std::shared_ptr<LaneState> lane) {
  if (lane->lane.terms->settings.until == Stage::export_) return end_with_export(lane);
  lane->waiting = std::exchange(lane->lane.planned, {});
  std::vector<const Target*> targets;
  for (const Planned& planned : lane->waiting)
    for (const Target* target : planned.compiled_for())
      if (std::ranges::find(targets, target) == targets.end()) targets.push_back(target);
  Task task;
  task.work = Task::Work::compile;
  for (const Target* target : targets) {
    if (std::string why = why_not_here(*target, tools_.compiler_for(*target).version);
        !why.empty()) {
      lane->made[target] = {not_judged_stage(Stage::compile, std::move(why)), {}};
      continue;
    }
    Cache::Lookup cached = look_up(
        compile_key(lane->subject, lane->mlir.sha256, *target, lane->lane.terms->settings, tools_));
    if (!cached.entry || cached.entry->objects.empty()) {
      task.items.push_back({target, cached.reason, told(*target, tools_)});
      continue;
    }
    LaneState::Made& made = lane->made[target];
    made = {cached.entry->record, cached.entry->objects};
    made.record.reused = true;
    made.record.reuse = cached.reason;
  }
  ASSAY_TRY(release(lane));
  if (task.items.empty()) return std::vector<Task>{};
  std::ranges::stable_sort(task.items, {}, &Task::Item::told);
  task.lane = std::move(lane);
  return only(std::move(task));
}

// What waits for nothing more goes on.
Status Steps::release(const std::shared_ptr<LaneState>& lane) {
  auto is_made = [&](const Target* target) { return lane->made.contains(target); };
  for (Planned& planned : std::exchange(lane->waiting, {})) {
    if (std::ranges::all_of(planned.compiled_for(), is_made))
      ASSAY_TRY(finish_compiled(lane, std::move(planned)));
    else
      lane->waiting.push_back(std::move(planned));
  }
  return {};
}

Result<std::vector<Task>> Steps::take_compile_end(Task task, const Ending& ending) {
  // The first target without an answer is the one the child ended on; those after it get a fresh
  // child. So does that one itself, when the child had answered for others before: what they left
  // behind may be what ended it. Only a time-out is the target's own.
  bool fresh = std::ranges::none_of(task.items, &Task::Item::is_answered);
  bool blamed = !fresh && ending.kind != EndKind::timed_out;
  Task rest = task.sibling();
  for (size_t i = 0; i < task.items.size(); ++i) {
    if (task.items[i].is_answered) continue;
    if (!blamed) {
      blamed = true;
      StageRecord record = read_compile_end(ending, fresh);
      // The kernel's is that of all targets; what was seen is this one's alone.
      if (!fresh && task.peak_bytes > 0) record.peak_bytes = task.peak_bytes;
      name_limit(task.terms(), record);
      took(record, world_.clock.now_ns() - task.last_message_ns);
      ASSAY_TRY(finish_item(task, i, std::move(record), {}));
    } else {
      rest.items.push_back(std::move(task.items[i]));
    }
  }
  if (rest.items.empty()) return std::vector<Task>{};
  return only(std::move(rest));
}

// Records one target's compile.
Status Steps::finish_item(Task& task, size_t index, StageRecord record,
                          const std::vector<CompiledFile>& files) {
  LaneState& lane = *task.lane;
  Task::Item& item = task.items[index];
  item.is_answered = true;
  record.reuse = item.reuse;
  append_note(record, task.note);
  std::vector<ArtifactRecord> artifacts;
  if (record.status == StageStatus::ok) {
    for (const CompiledFile& file : files) {
      ASSAY_ASSIGN(ArtifactRecord object, world_.cache.put_object(file.name, file.bytes));
      artifacts.push_back(std::move(object));
    }
  }
  if (const auto& tuning = item.target->tuning;
      tuning && record.status != StageStatus::not_judged) {
    if (!tuning->library.empty()) {
      ASSAY_ASSIGN(ArtifactRecord library,
                   world_.cache.put_object(std::string(kTuningLibraryName), tuning->library));
      artifacts.push_back(std::move(library));
    }
    // Whoever looks for the reason has to know what the compiler was told.
    if (record.status == StageStatus::failed) {
      record.evidence["flags"] =
          flags_for(*item.target, tools_.compiler_for(*item.target).version, lane.mlir_text);
      record.evidence["configuration"] = tuning->configuration;
    }
  }
  if (!item.target->compiler.empty() && record.evidence.is_object())
    record.evidence["iree"] = {{"place", item.target->compiler},
                               {"version", or_null(tools_.compiler_for(*item.target).version)}};
  if (record.status == StageStatus::ok) {
    ASSAY_TRY(world_.cache.put(compile_key(lane.subject, lane.mlir.sha256, *item.target,
                                           lane.lane.terms->settings, tools_),
                               {record, artifacts}));
  }
  lane.made[item.target] = {std::move(record), std::move(artifacts)};
  return release(task.lane);
}

Result<std::vector<Task>> Steps::end_with_export(const std::shared_ptr<LaneState>& lane) {
  std::vector<ArtifactRecord> artifacts{lane->mlir};
  if (lane->weights) artifacts.push_back(*lane->weights);
  for (Planned& planned : lane->lane.planned)
    ASSAY_TRY(finish(*lane, std::move(planned.attempt), {lane->exported}, artifacts));
  lane->lane.planned.clear();
  return std::vector<Task>{};
}

// What the lane's attempts share comes to what is this one's own. What can run here goes on, and so
// does what has lost nothing but a baseline.
Status Steps::finish_compiled(const std::shared_ptr<LaneState>& lane, Planned planned) {
  std::map<const Target*, Task::Compiled> compiled;
  for (const Target* target : planned.compiled_for()) {
    const LaneState::Made& made = lane->made.at(target);
    Task::Compiled& one = compiled[target];
    if (made.record.status != StageStatus::ok) {
      one = Task::Compiled::none(made.record);
      continue;
    }
    one = {lane->exported.evidence, made.artifacts.front(), "", {}};
    if (made.record.evidence.is_object())
      one.dispatch = made.record.evidence.value("dispatch", Json());
  }
  if (!planned.candidate.form->is_artifact()) {
    candidacies_.push_back(Task::of_candidate(lane, {std::move(planned), std::move(compiled)}));
    return {};
  }
  const LaneState::Made& made = lane->made.at(planned.target);
  std::vector<ArtifactRecord> artifacts = made.artifacts;
  artifacts.push_back(lane->mlir);
  if (lane->weights) artifacts.push_back(*lane->weights);
  std::vector<StageRecord> stages{lane->exported, made.record};
  const bool ends = lane->lane.terms->settings.until == Stage::compile;
  if (!planned.verified || ends || made.record.status != StageStatus::ok)
    return finish(*lane, std::move(planned.attempt), std::move(stages), std::move(artifacts));
  candidacies_.push_back(Task::of_candidate(
      lane, {std::move(planned), std::move(compiled), std::move(stages), std::move(artifacts)}));
  return {};
}

}  // namespace assay
