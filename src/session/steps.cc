#include "session/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "compile/flags.h"
#include "run/outcome.h"
#include "run/python.h"
#include "sandbox/memory_file.h"
#include "session/missing_module.h"

namespace assay {
namespace {

// Of an attempt that depends on files which no plan can know of: no plan's, so it is never taken as
// known; and another one when the files are others.
std::string with_files(const std::string& fingerprint, const Json& hub_files) {
  return sha256(dump_json({{"fingerprint", fingerprint}, {"files of the hub", hub_files}}));
}

// So many of them go into one job: those that are told alike, as far as its frame has room for
// them.
size_t that_go_together(const std::vector<Task::Item>& items) {
  size_t bytes = 0, count = 0;
  for (const Task::Item& item : items) {
    if (item.target->tuning) bytes += item.target->tuning->library.size();
    if (count > 0 && (bytes > kMaxLibrariesPerJob || item.told != items.front().told)) break;
    ++count;
  }
  return count;
}

// Of a lane without a program.
Task without_artifacts(const std::shared_ptr<LaneState>& lane, Planned planned) {
  std::map<const Target*, Task::Compiled> compiled;
  for (const Target* target : planned.compiled_for())
    compiled[target] = Task::Compiled::none(lane->exported);
  return Task::of_candidate(lane, {std::move(planned), std::move(compiled)});
}

}  // namespace

void Steps::append_note(StageRecord& record, const std::string& note) {
  if (!note.empty()) record.reuse += record.reuse.empty() ? note : "; " + note;
}

Steps::Steps(Feed& feed, Sink& sink, bool force, const Tools& tools, World& world)
    : feed_(feed), sink_(sink), force_(force), tools_(tools), world_(world) {}

Limits Steps::limits(const Task& task) const {
  const RunSettings& settings = task.terms().settings;
  Limits limits;
  limits.timeout_ns = settings.timeout_ns;
  limits.memory_bytes = settings.memory_bytes;
  limits.file_bytes = task.work == Task::Work::weights ? settings.memory_bytes : kMaxResultBytes;
  const bool exports = task.work == Task::Work::export_ || task.work == Task::Work::weights;
  const bool has_jail = verify_tools(task).limits.jail.has_value();
  if (exports && task.lane->lane.workload.exports_in_jail && has_jail) {
    limits.jail = oracle_jail(verify_tools(task), task.lane->subject.path);
    limits.jail->file_bytes = limits.file_bytes;
  }
  return limits;
}

const VerifyTools& Steps::verify_tools(const Task& task) const {
  const auto& own = task.terms().tools;
  return own ? *own : tools_.verify;
}

Image Steps::image(const Task& task) const {
  if (task.work == Task::Work::compile)
    return tools_.compiler_for(*task.items.front().target).image;
  return with_packages(tools_.exporter, task.lane->packages);
}

Cache::Lookup Steps::look_up(const CacheKey& key) const {
  if (force_) return {std::nullopt, "computed: asked for with --force"};
  return world_.cache.find(key);
}

Result<std::vector<Task>> Steps::begin(Lane planned_lane) {
  auto lane = std::make_shared<LaneState>();
  lane->lane = std::move(planned_lane);
  const std::string& path = lane->lane.workload.path;
  auto loaded = lane->lane.loaded ? Result<LoadedWorkload>(*std::move(lane->lane.loaded))
                                  : load_workload(world_.disk, lane->lane.workload);
  if (!loaded && lane->lane.workload.has_tests) {
    for (Planned& planned : lane->lane.planned) {
      std::vector<StageRecord> stages{blamed_on(
          Fault::problem, failed_stage(Stage::smoke, FailureClass::load, loaded.error().message))};
      ASSAY_TRY(finish(*lane, std::move(planned.attempt), std::move(stages), {}));
    }
    return std::vector<Task>{};
  }
  if (!loaded) {
    // Nobody can say anything of it: who needs no export, neither.
    for (Planned& planned : lane->lane.planned) {
      const bool is_exported = lane->lane.is_look || planned.candidate.form->is_artifact();
      StageRecord record =
          not_judged_stage(is_exported ? Stage::export_ : Stage::verify, loaded.error().message);
      std::optional<Lint> look;
      if (lane->lane.is_look) look = Lint{record};
      ASSAY_TRY(
          finish(*lane, std::move(planned.attempt), {std::move(record)}, {}, std::move(look)));
    }
    return std::vector<Task>{};
  }
  lane->workload = std::move(*loaded);
  // Elsewhere `python` is data, of a graph.
  if (lane->workload.shown.empty()) lane->packages = packages_of(lane->workload.python);
  lane->subject = {path, hash_of(lane->workload), lane->lane.precision, lane->lane.route};
  // The file may have changed since the plan was made: what is recorded is what is read now.
  for (Planned& planned : lane->lane.planned) {
    planned.attempt.operation = lane->workload.operation;
    if (!sink_.keeps()) break;
    CandidateSubject candidate = candidate_subject(world_.disk, planned);
    planned.attempt.origin.problem_sha256 = lane->subject.source_hash;
    planned.attempt.origin.candidate_sha256 = candidate.hash;
    planned.attempt.fingerprint =
        fingerprint(lane->subject, candidate, *planned.target, lane->lane.terms->settings, tools_);
  }
  if (lane->lane.is_look || !lane->lane.planned.front().needs_artifact()) {
    for (Planned& planned : lane->lane.planned)
      candidacies_.push_back(Task::of_candidate(lane, {std::move(planned), {}}));
    lane->lane.planned.clear();
    return std::vector<Task>{};
  }

  // In the torch dialect alone: by another route its model is exported as any.
  if (lane->workload.program && lane->lane.route == Route::torch)
    return take_program(std::move(lane));
  Cache::Lookup cached = look_up(export_key(lane->subject, lane->lane.terms->settings, tools_));
  if (cached.entry && cached.entry->objects.size() == 1) {
    lane->mlir = cached.entry->objects[0];
    if (auto text = world_.cache.read_object(lane->mlir)) {
      lane->exported = cached.entry->record;
      lane->exported.reused = true;
      lane->exported.reuse = cached.reason;
      lane->mlir_text = std::move(*text);
      return after_export(std::move(lane));
    }
    cached.reason = "computed again: the result from before has just left the cache";
  }
  lane->exported.reuse = cached.reason;
  Task task;
  task.work = Task::Work::export_;
  task.lane = std::move(lane);
  return only(std::move(task));
}

// A workload that comes with its program needs no export.
Result<std::vector<Task>> Steps::take_program(std::shared_ptr<LaneState> lane) {
  WorkloadProgram& program = *lane->workload.program;
  auto described = [](const std::vector<TensorSpec>& tensors) {
    Json list = Json::array();
    for (const TensorSpec& tensor : tensors) list.push_back(to_json(tensor));
    return list;
  };
  lane->exported.reuse = "generated";
  lane->exported.evidence = {{"inputs", described(program.inputs)},
                             {"outputs", described(program.outputs)},
                             {"state", Json::array()},
                             {"mutated_inputs", Json::array()},
                             {"passes", Json::array()},
                             {"fallbacks", Json::array()},
                             {"parameters", {{"count", 0}, {"bytes", 0}}},
                             {"flops", program.flops},
                             {"mlir_bytes", program.mlir.size()}};
  lane->mlir_text = std::move(program.mlir);
  ASSAY_ASSIGN(lane->mlir, world_.cache.put_object(std::string(kMlirName), lane->mlir_text));
  return compile(std::move(lane));
}

Result<std::optional<Task>> Steps::prepare(Task& task, Share share) {
  LaneState& lane = *task.lane;
  WorkloadInput input{lane.subject.path, lane.workload.python, lane.lane.terms->settings.mode,
                      lane.subject.precision};
  std::optional<Task> rest;
  switch (task.work) {
    case Task::Work::export_: {
      ASSAY_ASSIGN(task.workload_job, make_export_job(input, lane.subject.route,
                                                      real_bytes(lane.lane.terms->settings)));
      break;
    }
    case Task::Work::weights: {
      if (lane.workload.weights) input.weights = to_json(*lane.workload.weights);
      ASSAY_ASSIGN(task.workload_job, make_weights_job(input));
      break;
    }
    case Task::Work::verify:
      break;
    case Task::Work::compile: {
      size_t targets = std::clamp<size_t>(share.targets, 1, kMaxTargetsPerJob);
      targets = std::min(targets, that_go_together(task.items));
      if (task.items.size() > targets) {
        rest = task.sibling();
        rest->items.assign(std::make_move_iterator(task.items.begin() + static_cast<long>(targets)),
                           std::make_move_iterator(task.items.end()));
        task.items.resize(targets);
      }
      std::vector<CompileWith> with;
      for (const Task::Item& item : task.items)
        with.push_back(
            {flags_for(*item.target, tools_.compiler_for(*item.target).version, lane.mlir_text),
             item.target->tuning});
      ASSAY_ASSIGN(
          task.compile_job,
          make_compile_job(lane.mlir_text, std::move(with),
                           {.phases = lane.lane.terms->settings.phases,
                            .dispatch = asks_for_call(lane.lane.terms->settings),
                            .code = lane.lane.terms->settings.counters ? std::optional(tools_.code)
                                                                       : std::nullopt,
                            .threads = share.threads}));
      break;
    }
  }
  task.last_message_ns = world_.clock.now_ns();
  return rest;
}

Status Steps::take_message(Task& task, Event& event) {
  Json& message = event.message;
  if (task.work != Task::Work::compile) {
    task.answer = std::move(message);
    return {};
  }
  auto answer = read_compile_answer(*task.compile_job, message, event.printed);
  // An answer that is none is the compiler's failure on the target it was working on; the end of
  // its child will be recorded for it.
  if (!answer || task.items[answer->index].is_answered) return {};
  int64_t now = world_.clock.now_ns();
  StageRecord record = std::move(answer->record);
  // Perhaps the targets before it left no room: a fresh child will tell.
  if (record.failure == FailureClass::out_of_memory && answer->index > 0) return {};
  name_limit(task.terms(), record);
  JsonReader costs(message, "costs");
  const int64_t elapsed_ns = now - task.last_message_ns;
  took(record, elapsed_ns,
       std::clamp<int64_t>(costs.optional_integer("counting_ns").value_or(0), 0,
                           std::max<int64_t>(elapsed_ns, 0)));
  record.cpu_ns = costs.optional_integer("cpu_ns");
  const auto own_peak =
      static_cast<uint64_t>(std::max<int64_t>(costs.optional_integer("peak_bytes").value_or(0), 0));
  const uint64_t peak_bytes = std::max(own_peak, std::exchange(task.peak_bytes, 0));
  if (peak_bytes > 0) record.peak_bytes = peak_bytes;
  task.last_message_ns = now;
  return finish_item(task, answer->index, std::move(record), answer->files);
}

Result<std::vector<Task>> Steps::take_end(Task task, const Ending& ending) {
  switch (task.work) {
    case Task::Work::export_:
      return take_export_end(std::move(task), ending);
    case Task::Work::weights:
      return take_weights_end(std::move(task), ending);
    case Task::Work::compile:
    case Task::Work::verify:
      break;
  }
  return take_compile_end(std::move(task), ending);
}

Result<std::vector<Task>> Steps::take_export_end(Task task, const Ending& ending) {
  LaneState& lane = *task.lane;
  std::string reuse = std::move(lane.exported.reuse);
  if (ending.kind == EndKind::answered && task.answer) {
    ASSAY_ASSIGN(ExportAnswer answer, read_export_answer(*task.workload_job, *task.answer));
    lane.exported = std::move(answer.record);
    lane.mlir_text = std::move(answer.mlir);
    lane.depends_on_hub = !answer.hub_files.is_null();
    if (lane.depends_on_hub)
      for (Planned& planned : lane.lane.planned)
        planned.attempt.fingerprint = with_files(planned.attempt.fingerprint, answer.hub_files);
  } else {
    lane.exported = stage_from_ending(Stage::export_, ending);
  }
  name_limit(*lane.lane.terms, lane.exported);
  lane.exported.reuse = reuse;
  append_note(lane.exported, task.note);
  add_costs(lane.exported, ending);
  if (lane.exported.status != StageStatus::ok) return fail_lane(task.lane);
  ASSAY_ASSIGN(lane.mlir, world_.cache.put_object(std::string(kMlirName), lane.mlir_text));
  if (lane.depends_on_hub) {
    append_note(lane.exported, "not kept: it read files of the hub, which may change");
    return after_export(std::move(task.lane));
  }
  ASSAY_TRY(world_.cache.put(export_key(lane.subject, lane.lane.terms->settings, tools_),
                             {lane.exported, {lane.mlir}}));
  return after_export(std::move(task.lane));
}

// The weights come before the compiles: all targets of the lane share them.
Result<std::vector<Task>> Steps::after_export(std::shared_ptr<LaneState> lane) {
  if (!lane->lane.terms->settings.weights) return compile(std::move(lane));
  Cache::Lookup cached;
  if (!lane->depends_on_hub)
    cached = look_up(weights_key(lane->subject, lane->lane.terms->settings, tools_));
  if (cached.entry && cached.entry->objects.size() == 1) {
    lane->exported.evidence["weights"] = cached.entry->record.evidence;
    lane->weights = cached.entry->objects[0];
    return compile(std::move(lane));
  }
  Task task;
  task.work = Task::Work::weights;
  task.lane = std::move(lane);
  return only(std::move(task));
}

Result<std::vector<Task>> Steps::take_weights_end(Task task, const Ending& ending) {
  LaneState& lane = *task.lane;
  WeightsAnswer answer;
  if (ending.kind == EndKind::answered && task.answer) {
    ASSAY_ASSIGN(answer, read_weights_answer(*task.workload_job, *task.answer));
  } else {
    answer.record = stage_from_ending(Stage::export_, ending);
  }
  name_limit(*lane.lane.terms, answer.record);
  add_costs(answer.record, ending);
  if (answer.record.status != StageStatus::ok) {
    // They were asked for by name: an attempt without them is not what was wanted.
    answer.record.error = "drawing the weights: " + answer.record.error;
    answer.record.reuse = lane.exported.reuse;
    lane.exported = std::move(answer.record);
    return fail_lane(task.lane);
  }
  lane.exported.evidence["weights"] = answer.record.evidence;
  ASSAY_ASSIGN(lane.weights,
               world_.cache.put_object(std::string(kWeightsName), answer.archive->bytes()));
  if (!lane.depends_on_hub)
    ASSAY_TRY(world_.cache.put(weights_key(lane.subject, lane.lane.terms->settings, tools_),
                               {answer.record, {*lane.weights}}));
  return compile(std::move(task.lane));
}

Task Steps::again_alone(Task task, uint64_t resident_bytes) const {
  Task again = task.sibling();
  again.alone = true;
  again.note = fmt::format("again, alone: beside others it had taken {} when memory ran short",
                           format_bytes(resident_bytes));
  for (Task::Item& item : task.items)
    if (!item.is_answered) again.items.push_back(std::move(item));
  return again;
}

Status Steps::give_up(Task task, const Ending& ending, uint64_t resident_bytes) {
  StageRecord record = stage_from_ending(task.stage(), ending);
  record.error = fmt::format(
      "this machine's memory ran short when it had taken {}, with nothing of assay's beside it",
      format_bytes(resident_bytes));
  add_costs(record, ending);
  record.reuse = task.lane->exported.reuse;
  if (task.work == Task::Work::compile) {
    for (size_t i = 0; i < task.items.size(); ++i)
      if (!task.items[i].is_answered) ASSAY_TRY(finish_item(task, i, record, {}));
    return {};
  }
  task.lane->exported = std::move(record);
  auto failed = fail_lane(task.lane);
  return failed ? Status{} : std::unexpected(failed.error());
}

// The export decided for every attempt of the lane, but for those that only have no baseline now.
Result<std::vector<Task>> Steps::fail_lane(const std::shared_ptr<LaneState>& lane) {
  for (Planned& planned : lane->lane.planned) {
    if (lane->lane.is_look)
      ASSAY_TRY(
          finish(*lane, std::move(planned.attempt), {lane->exported}, {}, Lint{lane->exported}));
    else if (planned.candidate.form->is_artifact())
      ASSAY_TRY(finish(*lane, std::move(planned.attempt), {lane->exported}, {}));
    else
      candidacies_.push_back(without_artifacts(lane, std::move(planned)));
  }
  lane->lane.planned.clear();
  return std::vector<Task>{};
}

Status Steps::finish(const LaneState& lane, Attempt attempt, std::vector<StageRecord> stages,
                     std::vector<ArtifactRecord> artifacts, std::optional<Lint> look,
                     Traced traced) {
  traced.memory.insert(traced.memory.begin(), lane.memory.samples.begin(),
                       lane.memory.samples.end());
  attempt.stages = std::move(stages);
  for (StageRecord& stage : attempt.stages)
    explain_missing_module(world_.disk,
                           tools_.exporter.argv.empty() ? "python3" : tools_.exporter.argv.front(),
                           attempt, stage);
  attempt.artifacts = std::move(artifacts);
  std::ranges::sort(attempt.artifacts, {}, &ArtifactRecord::name);
  attempt.verdict = verdict_of(attempt.stages);
  attempt.finished = world_.clock.utc();
  Finished finished{std::move(attempt), std::move(look), std::move(traced)};
  ASSAY_TRY(sink_.take(finished));
  return feed_.learn(finished.attempt);
}

// A limit that was hit is worth its number: the remedy is to raise it.
void Steps::name_limit(const Terms& terms, StageRecord& record) {
  if (!terms.are_limits_options) return;
  if (record.failure == FailureClass::timeout && !record.met_own_limit)
    record.error += fmt::format(" (--timeout {})", exact_duration(terms.settings.timeout_ns));
  if (record.failure == FailureClass::out_of_memory)
    record.error += fmt::format(" (--memory {})", exact_bytes(terms.settings.memory_bytes));
}

}  // namespace assay
