// The steps of a lane whose program is there: a compile for each of its targets.
#include <algorithm>
#include <utility>

#include "run/outcome.h"
#include "session/steps.h"

namespace assay {
// One task with all targets that are not in the cache; without any, the lane ends here.
Result<std::vector<Task>> Steps::compile(std::shared_ptr<LaneState> lane) {
  if (lane->lane.terms->settings.until == Stage::export_) return end_with_export(lane);
  Task task;
  task.work = Task::Work::compile;
  for (Planned& planned : lane->lane.planned) {
    if (!planned.target->unavailable.empty()) {
      StageRecord record = not_judged_stage(Stage::compile, planned.target->unavailable);
      ASSAY_TRY(finish_compiled(lane, std::move(planned), record, {}));
      continue;
    }
    Cache::Lookup cached = look_up(compile_key(lane->subject, lane->mlir.sha256, *planned.target,
                                               lane->lane.terms->settings, tools_));
    if (!cached.entry || cached.entry->objects.empty()) {
      auto same = std::ranges::find_if(
          task.items, [&](const Task::Item& item) { return &item.target() == planned.target; });
      if (same == task.items.end())
        task.items.push_back({{std::move(planned)}, cached.reason});
      else
        same->planned.push_back(std::move(planned));
      continue;
    }
    StageRecord record = cached.entry->record;
    record.reused = true;
    record.reuse = cached.reason;
    ASSAY_TRY(finish_compiled(lane, std::move(planned), record, cached.entry->objects));
  }
  lane->lane.planned.clear();
  if (task.items.empty()) return std::vector<Task>{};
  task.lane = std::move(lane);
  return only(std::move(task));
}

Result<std::vector<Task>> Steps::take_compile_end(Task task, const Ending& ending) {
  // The first target without an answer is the one the child ended on; those after it get a fresh
  // child. So does that one itself, when the child had answered for others before: what they left
  // behind may be what ended it. Only a time-out is the target's own.
  bool fresh =
      std::ranges::all_of(task.items, [](const auto& item) { return !item.is_answered(); });
  bool blamed = !fresh && ending.kind != EndKind::timed_out;
  Task rest = task.sibling();
  for (size_t i = 0; i < task.items.size(); ++i) {
    if (task.items[i].is_answered()) continue;
    if (!blamed) {
      blamed = true;
      StageRecord record = read_compile_end(ending, fresh);
      name_limit(task.terms(), record);
      record.wall_ns = world_.clock.now_ns() - task.last_message_ns;
      ASSAY_TRY(finish_item(task, i, std::move(record), {}));
    } else {
      rest.items.push_back(std::move(task.items[i]));
    }
  }
  if (rest.items.empty()) return std::vector<Task>{};
  return only(std::move(rest));
}

// Records one target's compile and takes its attempts out of the task.
Status Steps::finish_item(Task& task, size_t index, StageRecord record,
                          const std::vector<CompiledFile>& files) {
  LaneState& lane = *task.lane;
  Task::Item item = std::exchange(task.items[index], {});
  record.reuse = item.reuse;
  append_note(record, task.note);
  std::vector<ArtifactRecord> artifacts;
  if (record.status == StageStatus::ok) {
    for (const CompiledFile& file : files) {
      ASSAY_ASSIGN(ArtifactRecord object, world_.cache.put_object(file.name, file.bytes));
      artifacts.push_back(std::move(object));
    }
    ASSAY_TRY(world_.cache.put(compile_key(lane.subject, lane.mlir.sha256, item.target(),
                                           lane.lane.terms->settings, tools_),
                               {record, artifacts}));
  }
  for (Planned& planned : item.planned)
    ASSAY_TRY(finish_compiled(task.lane, std::move(planned), record, artifacts));
  return {};
}

Result<std::vector<Task>> Steps::end_with_export(const std::shared_ptr<LaneState>& lane) {
  std::vector<ArtifactRecord> artifacts{lane->mlir};
  if (lane->weights) artifacts.push_back(*lane->weights);
  for (Planned& planned : lane->lane.planned)
    ASSAY_TRY(finish(std::move(planned.attempt), {lane->exported}, artifacts));
  lane->lane.planned.clear();
  return std::vector<Task>{};
}

// What the lane's attempts share comes to what is this one's own. What can run here goes on, and so
// does what has lost nothing but a baseline.
Status Steps::finish_compiled(const std::shared_ptr<LaneState>& lane, Planned planned,
                              const StageRecord& record, std::vector<ArtifactRecord> artifacts) {
  const bool is_made = record.status == StageStatus::ok;
  Task::Compiled compiled = is_made
                                ? Task::Compiled{lane->exported.evidence, artifacts.front(), "", {}}
                                : Task::Compiled::none(record);
  if (is_made && record.evidence.is_object())
    compiled.dispatch = record.evidence.value("dispatch", Json());
  if (!planned.candidate.form->is_artifact()) {
    candidacies_.push_back(Task::of_candidate(lane, {std::move(planned), std::move(compiled)}));
    return {};
  }
  artifacts.push_back(lane->mlir);
  if (lane->weights) artifacts.push_back(*lane->weights);
  std::vector<StageRecord> stages{lane->exported, record};
  if (!planned.verified || !is_made)
    return finish(std::move(planned.attempt), std::move(stages), std::move(artifacts));
  candidacies_.push_back(Task::of_candidate(
      lane, {std::move(planned), std::move(compiled), std::move(stages), std::move(artifacts)}));
  return {};
}

}  // namespace assay
