#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "compile/flags.h"
#include "engine/active_lane.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Keys say what went in, in the words that `assay show` uses when something changed.
CacheKey export_key(const ActiveLane& active, const Request& request, const Tools& tools) {
  CacheKey key;
  std::string precision(to_word(kPrecisionWords, active.lane.precision));
  key.subject = "export " + active.lane.workload->path + " " + precision;
  key.ingredients = {{"stage", "export"},
                     {"source", active.source_hash},
                     {"mode", request.settings.mode},
                     {"precision", precision},
                     {"Python packages", tools.python_environment},
                     {"torch", tools.torch_version},
                     {"iree-turbine", tools.turbine_version},
                     {"compiler version", tools.compiler_version},
                     {"assay's worker", tools.worker_identity}};
  return key;
}

CacheKey compile_key(const ActiveLane& active, const Target& target, const Tools& tools) {
  CacheKey key;
  key.subject = "compile " + active.lane.workload->path + " for " + target.name;
  key.ingredients = {{"stage", "compile"},
                     {"program", active.mlir.sha256},
                     {"flags", join_lines(resolve_flags(target, tools.compiler_version))},
                     {"compiler", tools.compiler_identity}};
  if (compiles_for_host(target)) key.ingredients["host CPU"] = tools.host_cpu;
  return key;
}

class Engine {
 public:
  Engine(const Request& request, const Tools& tools, Plan plan, World world)
      : request_(request), tools_(tools), plan_(std::move(plan)), world_(world) {
    limits_.timeout_ns = request.settings.timeout_ns;
    limits_.memory_bytes = request.settings.memory_bytes;
    limits_.file_bytes = kMaxResultBytes;
  }

  Status run() {
    ASSAY_TRY(leave_out_what_is_known());
    size_t next = 0;
    while (next < plan_.lanes.size() || !active_.empty()) {
      if (world_.spawner.interrupted()) return interrupted();
      if (next < plan_.lanes.size() && active_.size() < static_cast<size_t>(request_.jobs)) {
        ActiveLane active;
        active.lane = std::move(plan_.lanes[next++]);
        ASSAY_TRY(begin(std::move(active)));
        continue;
      }
      ASSAY_ASSIGN(Event event, world_.spawner.next());
      if (event.kind == Event::Kind::interrupted) return interrupted();
      auto found = active_.find(event.child);
      if (found == active_.end()) continue;
      if (event.kind == Event::Kind::message) {
        ASSAY_TRY(take_message(found->second, event.message));
      } else {
        ActiveLane active = std::move(found->second);
        active_.erase(found);
        ASSAY_TRY(take_end(std::move(active), event.ending));
      }
    }
    return {};
  }

 private:
  // Attempts that the run's store holds, made from the same of everything, are not computed again;
  // except those that could not be judged: perhaps they can be now.
  Status leave_out_what_is_known() {
    ASSAY_ASSIGN(auto known, world_.store.known());
    size_t before = plan_.attempts;
    for (Lane& lane : plan_.lanes) {
      auto source = world_.disk.read(lane.workload->path);
      if (!source || request_.force) continue;
      ASSAY_TRY(same_problem(lane, known));
      std::erase_if(lane.planned, [&](const Planned& planned) {
        auto found = known.find(planned.attempt.id);
        return found != known.end() && found->second.verdict != Verdict::not_judged &&
               found->second.fingerprint ==
                   fingerprint(planned.attempt, *planned.target, *source, request_, tools_) &&
               has_files(planned.attempt.id, found->second.artifacts);
      });
    }
    std::erase_if(plan_.lanes, [](const Lane& lane) { return lane.planned.empty(); });
    size_t left = 0;
    for (const Lane& lane : plan_.lanes) left += lane.planned.size();
    world_.events.planned(before, before - left);
    return {};
  }

  // A suite of the same name from elsewhere would silently take the place of the first.
  static Status same_problem(const Lane& lane,
                             const std::map<std::string, RunStore::Known>& known) {
    for (const Planned& planned : lane.planned) {
      auto found = known.find(planned.attempt.id);
      if (found != known.end() && found->second.path != planned.attempt.path)
        return error(Code::refused,
                     fmt::format("'{}' in this run is '{}', and now it would be '{}'",
                                 planned.attempt.id, found->second.path, planned.attempt.path),
                     "name another folder with --out, or replace it with --force");
    }
    return {};
  }

  // Files may have been tidied away, or be those of an attempt that was never stored; the cache has
  // the right ones.
  bool has_files(const std::string& id, const std::vector<ArtifactRecord>& artifacts) const {
    return std::ranges::all_of(artifacts, [&](const ArtifactRecord& artifact) {
      auto bytes = world_.disk.read(join_path(world_.store.result_folder(id), artifact.name));
      return bytes && bytes->size() == artifact.bytes && sha256(*bytes) == artifact.sha256;
    });
  }

  Status interrupted() {
    world_.spawner.stop_all();
    return error(Code::interrupted, "interrupted",
                 "the same command goes on from here: what was finished is kept");
  }

  Status begin(ActiveLane active) {
    auto source = world_.disk.read(active.lane.workload->path);
    if (!source) {
      active.exported.status = StageStatus::not_judged;
      active.exported.error = source.error().message;
      return finish_all(std::move(active));
    }
    active.source = std::move(*source);
    active.source_hash = sha256(active.source);
    // The file may have changed since the plan was made: what is recorded is what is read now.
    for (Planned& planned : active.lane.planned)
      planned.attempt.fingerprint =
          fingerprint(planned.attempt, *planned.target, active.source, request_, tools_);

    std::string reason = "computed: asked for with --force";
    if (!request_.force) {
      Cache::Lookup cached = world_.cache.find(export_key(active, request_, tools_));
      reason = cached.reason;
      if (cached.entry && cached.entry->objects.size() == 1) {
        active.exported = cached.entry->record;
        active.exported.reused = true;
        active.exported.reuse = reason;
        active.mlir = cached.entry->objects[0];
        ASSAY_ASSIGN(active.mlir_text, world_.cache.read_object(active.mlir));
        return compile(std::move(active));
      }
    }
    active.exported.reuse = reason;
    ASSAY_ASSIGN(active.export_job, make_export_job(active.lane.workload->path, active.source,
                                                    request_.settings.mode, active.lane.precision));
    return launch(std::move(active), tools_.exporter, Stage::export_);
  }

  Status launch(ActiveLane active, const Image& image, Stage stage) {
    const Job& job = stage == Stage::export_ ? active.export_job->job : active.compile_job->job;
    Limits limits = limits_;
    if (stage == Stage::compile) limits.messages = active.compile_ids.size();
    ASSAY_ASSIGN(ChildId child, world_.spawner.start(image, limits, job));
    world_.events.started(active.lane.workload->path, stage, active.compile_ids.size());
    active.last_message_ns = world_.clock.now_ns();
    active_.emplace(child, std::move(active));
    return {};
  }

  Status take_message(ActiveLane& active, Json& message) {
    if (!active.compile_job) {
      active.export_answer = std::move(message);
      return {};
    }
    auto answer = read_compile_answer(*active.compile_job, message);
    // An answer that is none is the compiler's failure on the target it was working on; the end of
    // its child will be recorded for it.
    if (!answer || active.compile_ids[answer->index].empty()) return {};
    int64_t now = world_.clock.now_ns();
    StageRecord record = std::move(answer->record);
    name_limit(record);
    record.wall_ns = now - active.last_message_ns;
    JsonReader costs(message, "costs");
    record.cpu_ns = costs.optional_integer("cpu_ns");
    if (auto peak = costs.optional_integer("peak_bytes"); peak && *peak > 0)
      record.peak_bytes = static_cast<uint64_t>(*peak);
    active.last_message_ns = now;
    return finish_compile(active, answer->index, std::move(record), answer->artifact);
  }

  Status take_end(ActiveLane active, const Ending& ending) {
    if (active.compile_job) return take_compile_end(std::move(active), ending);
    std::string reuse = std::move(active.exported.reuse);
    bool answered = ending.kind == EndKind::answered && active.export_answer;
    if (answered) {
      ASSAY_ASSIGN(ExportAnswer answer,
                   read_export_answer(*active.export_job, *active.export_answer));
      active.exported = std::move(answer.record);
      active.mlir_text = std::move(answer.mlir);
    } else {
      active.exported = stage_from_ending(Stage::export_, ending);
    }
    name_limit(active.exported);
    active.exported.reuse = reuse;
    add_costs(active.exported, ending);
    if (active.exported.status != StageStatus::ok) return finish_all(std::move(active));
    active.export_job.reset();
    ASSAY_ASSIGN(active.mlir, world_.cache.put_object("kernel.mlir", active.mlir_text));
    ASSAY_TRY(
        world_.cache.put(export_key(active, request_, tools_), {active.exported, {active.mlir}}));
    return compile(std::move(active));
  }

  // Starts a compile of all targets that are left and not in the cache. Without any, the lane ends.
  Status compile(ActiveLane active) {
    std::vector<std::vector<std::string>> flags;
    active.compile_ids.clear();
    active.compile_reuse.clear();
    for (size_t i = 0; i < active.lane.planned.size() && flags.size() < kMaxTargetsPerJob;) {
      Planned& planned = active.lane.planned[i];
      if (!planned.target->unavailable.empty()) {
        StageRecord record;
        record.stage = Stage::compile;
        record.status = StageStatus::not_judged;
        record.error = planned.target->unavailable;
        Attempt attempt = std::move(planned.attempt);
        active.lane.planned.erase(active.lane.planned.begin() + static_cast<ptrdiff_t>(i));
        ASSAY_TRY(finish(std::move(attempt), {active.exported, std::move(record)}, {active.mlir}));
        continue;
      }
      std::string reason = "computed: asked for with --force";
      if (!request_.force) {
        Cache::Lookup cached = world_.cache.find(compile_key(active, *planned.target, tools_));
        reason = cached.reason;
        if (cached.entry && cached.entry->objects.size() == 1) {
          StageRecord record = cached.entry->record;
          record.reused = true;
          record.reuse = reason;
          Attempt attempt = std::move(planned.attempt);
          active.lane.planned.erase(active.lane.planned.begin() + static_cast<ptrdiff_t>(i));
          ASSAY_TRY(finish(std::move(attempt), {active.exported, std::move(record)},
                           {cached.entry->objects[0], active.mlir}));
          continue;
        }
      }
      flags.push_back(resolve_flags(*planned.target, tools_.compiler_version));
      active.compile_ids.push_back(planned.attempt.id);
      active.compile_reuse.push_back(reason);
      ++i;
    }
    if (flags.empty()) return {};
    ASSAY_ASSIGN(active.compile_job, make_compile_job(active.mlir_text, flags));
    return launch(std::move(active), tools_.compiler, Stage::compile);
  }

  Status take_compile_end(ActiveLane active, const Ending& ending) {
    // The first target without an answer is the one the child ended on; those after it get a fresh
    // child, and so does what did not fit into this job.
    for (size_t i = 0; i < active.compile_ids.size(); ++i) {
      if (active.compile_ids[i].empty()) continue;
      bool ended_between = ending.kind == EndKind::answered && i > 0;
      if (ended_between) break;
      StageRecord record = stage_from_ending(Stage::compile, ending);
      name_limit(record);
      add_costs(record, ending);
      record.wall_ns = world_.clock.now_ns() - active.last_message_ns;
      ASSAY_TRY(finish_compile(active, i, std::move(record), ""));
      break;
    }
    active.compile_job.reset();
    if (active.lane.planned.empty()) return {};
    return compile(std::move(active));
  }

  // Records one target's compile and takes its attempt out of the lane.
  Status finish_compile(ActiveLane& active, size_t index, StageRecord record,
                        std::string_view artifact) {
    std::string id = std::exchange(active.compile_ids[index], "");
    auto planned =
        std::ranges::find(active.lane.planned, id, [](const Planned& p) { return p.attempt.id; });
    record.reuse = active.compile_reuse[index];
    std::vector<ArtifactRecord> artifacts;
    if (record.status == StageStatus::ok) {
      record.evidence = Json{{"flags", resolve_flags(*planned->target, tools_.compiler_version)},
                             {"artifact_bytes", artifact.size()}};
      ASSAY_ASSIGN(ArtifactRecord object, world_.cache.put_object("artifact.vmfb", artifact));
      ASSAY_TRY(
          world_.cache.put(compile_key(active, *planned->target, tools_), {record, {object}}));
      artifacts.push_back(std::move(object));
    }
    artifacts.push_back(active.mlir);
    Attempt attempt = std::move(planned->attempt);
    active.lane.planned.erase(planned);
    return finish(std::move(attempt), {active.exported, std::move(record)}, std::move(artifacts));
  }

  // A limit that was hit is worth its number: the remedy is to raise it.
  void name_limit(StageRecord& record) const {
    if (record.failure == FailureClass::timeout)
      record.error += fmt::format(" (--timeout {})", exact_duration(request_.settings.timeout_ns));
    if (record.failure == FailureClass::out_of_memory)
      record.error += fmt::format(" (--memory {})", exact_bytes(request_.settings.memory_bytes));
  }

  // The export decided for every attempt of the lane.
  Status finish_all(ActiveLane active) {
    for (Planned& planned : active.lane.planned)
      ASSAY_TRY(finish(std::move(planned.attempt), {active.exported}, {}));
    return {};
  }

  // Files first, then the row. Killed in between, the old row stands beside other files: the next
  // run sees it, as it compares them.
  Status finish(Attempt attempt, std::vector<StageRecord> stages,
                std::vector<ArtifactRecord> artifacts) {
    attempt.stages = std::move(stages);
    attempt.artifacts = std::move(artifacts);
    std::ranges::sort(attempt.artifacts, {}, &ArtifactRecord::name);
    attempt.verdict = verdict_of(attempt.stages);
    attempt.finished = world_.clock.utc();
    std::string folder = world_.store.result_folder(attempt.id);
    ASSAY_TRY(world_.disk.make_directories(folder));
    for (const char* name : {"artifact.vmfb", "kernel.mlir"})
      ASSAY_TRY(world_.disk.remove_all(join_path(folder, name)));
    for (const ArtifactRecord& artifact : attempt.artifacts)
      ASSAY_TRY(world_.disk.link_or_copy(world_.cache.object_path(artifact),
                                         join_path(folder, artifact.name)));
    ASSAY_TRY(world_.store.save(attempt));
    world_.events.finished(attempt);
    return {};
  }

  const Request& request_;
  const Tools& tools_;
  Plan plan_;
  World world_;
  Limits limits_;
  std::map<ChildId, ActiveLane> active_;
};

}  // namespace

Status run_plan(const Request& request, const Tools& tools, Plan plan, World world) {
  return Engine(request, tools, std::move(plan), world).run();
}

}  // namespace assay
