#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "base/hash.h"
#include "engine/admission.h"
#include "engine/cached_libraries.h"
#include "engine/judgings.h"
#include "engine/steps.h"
#include "run/outcome.h"

namespace assay {
namespace {

// Gives tasks to children: at most `jobs` at once, as far as memory allows. What a task is and what
// follows from it is the business of Steps.
class Engine {
 public:
  Engine(const Request& request, const Tools& tools, Plan plan, World world)
      : request_(request),
        tools_(tools),
        plan_(std::move(plan)),
        world_(world),
        steps_(request_, tools_, world_),
        admission_(world.memory),
        libraries_(world.disk, world.cache, tools,
                   request.force ? CachedLibraries::Use::replace : CachedLibraries::Use::all),
        judgings_(world.spawner, world.memory, world.clock, libraries_) {}

  Status run() {
    ASSAY_TRY(leave_out_what_is_known());
    while (true) {
      if (world_.spawner.interrupted()) return interrupted();
      ASSAY_TRY(start_what_may_start());
      if (in_flight() == 0) return world_.spawner.interrupted() ? interrupted() : Status{};
      ASSAY_ASSIGN(Event event, world_.spawner.next(kLookEveryNs));
      if (event.kind == Event::Kind::interrupted) return interrupted();
      ASSAY_TRY(take_judged());
      judgings_.serve(running_.size());
      tell_when_waiting();
      if (judgings_.switchboard().deliver(event)) continue;
      auto found = running_.find(event.child);
      if (found != running_.end() && event.kind == Event::Kind::message) {
        ASSAY_TRY(steps_.take_message(found->second.task, event));
      } else if (found != running_.end() && event.kind == Event::Kind::ended) {
        Running ended = std::move(found->second);
        running_.erase(found);
        ASSAY_TRY(take_end(std::move(ended), event.ending));
      }
      end_the_largest_when_short();
    }
  }

 private:
  struct Running {
    Task task;
    int64_t started_ns = 0;
    uint64_t ended_at_bytes = 0;  // not 0: it was ended for want of memory, and had taken this
  };

  // Attempts that the run's store holds, made from the same of everything, are not computed again;
  // except those that could not be judged: perhaps they can be now.
  Status leave_out_what_is_known() {
    ASSAY_ASSIGN(auto known, world_.store.known());
    size_t before = plan_.attempts;
    count_comparisons(known);
    for (Lane& lane : plan_.lanes) {
      if (request_.force || request_.settings.replay || known.empty()) break;
      auto source = source_of(world_.disk, *lane.workload);
      if (!source) continue;
      ASSAY_TRY(same_problem(lane, known));
      ExportSubject subject{lane.workload->path, sha256(*source), lane.precision};
      std::erase_if(lane.planned, [&](const Planned& planned) {
        auto found = known.find(planned.attempt.id);
        return found != known.end() && found->second.verdict != Verdict::not_judged &&
               found->second.fingerprint ==
                   fingerprint(subject, candidate_subject(world_.disk, planned), *planned.target,
                               request_.settings, tools_) &&
               steps_.recorder().has_files(planned.attempt.id, found->second.artifacts);
      });
    }
    std::erase_if(plan_.lanes, [](const Lane& lane) { return lane.planned.empty(); });
    size_t left = 0;
    for (const Lane& lane : plan_.lanes) left += lane.planned.size();
    world_.events.planned(before, before - left, plan_.not_applicable);
    return {};
  }

  // Those of attempts that are in the folder already, too: whoever wins is one of as many.
  void count_comparisons(const std::map<std::string, RunStore::Known>& known) {
    std::map<std::string, size_t> all;
    for (const auto& [id, each] : known) all[id] = each.comparisons;
    for (const Lane& lane : plan_.lanes)
      for (const Planned& each : lane.planned) all[each.attempt.id] = each.baselines.size();
    size_t comparisons = 0;
    for (const auto& [id, count] : all) comparisons += count;
    for (Lane& lane : plan_.lanes)
      for (Planned& each : lane.planned) each.comparisons = comparisons;
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

  Status interrupted() {
    judgings_.end_all();
    world_.spawner.stop_all();
    return error(Code::interrupted, "interrupted",
                 "the same command goes on from here: what was finished is kept");
  }

  size_t jobs() const { return static_cast<size_t>(request_.jobs); }
  size_t in_flight() const { return running_.size() + judgings_.count(); }
  // Of those; others wait for the machine.
  size_t at_work() const { return running_.size() + judgings_.at_work(); }

  size_t young() const {
    int64_t since_ns = world_.clock.now_ns() - Admission::kYoungNs;
    return static_cast<size_t>(std::ranges::count_if(
        running_, [&](const auto& entry) { return entry.second.started_ns > since_ns; }));
  }

  bool something_is_alone() const {
    return std::ranges::any_of(running_, [](const auto& entry) { return entry.second.task.alone; });
  }

  // Fills the free slots: first with what follows from finished work, so that programs do not pile
  // up, then with new lanes, and last, one at a time, with what must run alone.
  Status start_what_may_start() {
    while (at_work() < jobs() && !something_is_alone() && judgings_.quiet().lets_start()) {
      for (Task& task : steps_.take_candidacies()) enqueue(std::move(task));
      bool more_lanes = next_lane_ < plan_.lanes.size();
      bool others = !ready_.empty() || more_lanes;
      if (in_flight() > 0 && (!others || !admission_.may_start(young()))) return {};
      if (judgings_.memory().somebody_waits()) return {};
      if (!ready_.empty()) {
        ASSAY_TRY(launch(take_first(ready_)));
      } else if (more_lanes) {
        ASSAY_ASSIGN(auto tasks, steps_.begin(std::move(plan_.lanes[next_lane_++])));
        for (Task& task : tasks) enqueue(std::move(task));
        // Everything may have come from the cache, for thousands of lanes on end.
        if (world_.spawner.interrupted()) return {};
      } else if (!alone_.empty()) {
        ASSAY_TRY(launch(take_first(alone_)));
      } else if (!steps_.has_candidacies()) {
        return {};
      }
    }
    return {};
  }

  static Task take_first(std::deque<Task>& tasks) {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    return task;
  }

  void enqueue(Task task) { (task.alone ? alone_ : ready_).push_back(std::move(task)); }

  // One child compiles all targets of a lane while there is other work for the other slots, since
  // they share the child; a part of them where slots would be empty. Threads cost a quarter of the
  // CPU time, so a compile has them only where cores would idle.
  Share share(const Task& task) const {
    size_t others = ready_.size() + (plan_.lanes.size() - next_lane_);
    bool slots_filled = others >= jobs();
    bool cores_filled = slots_filled && request_.jobs >= request_.cores;
    bool split = !slots_filled && !task.alone;
    return {.targets = split ? (task.items.size() + jobs() - 1) / jobs() : task.items.size(),
            .threads = !cores_filled || task.alone};
  }

  Status launch(Task task) {
    if (task.work == Task::Work::verify) return launch_judging(std::move(task));
    ASSAY_ASSIGN(std::optional<Task> rest, steps_.prepare(task, share(task)));
    if (rest) (rest->alone ? alone_ : ready_).push_front(std::move(*rest));
    Limits limits = steps_.limits(task);
    if (task.work == Task::Work::compile) limits.messages = task.items.size();
    ASSAY_ASSIGN(ChildId child, world_.spawner.start(steps_.image(task), limits, task.job()));
    world_.events.started(task.lane->subject.path, task.stage(), task.items.size());
    running_.emplace(child, Running{std::move(task), world_.clock.now_ns()});
    return {};
  }

  Status launch_judging(Task task) {
    ASSAY_ASSIGN(auto job, steps_.make_judging_job(task));
    if (!job) return {};
    world_.events.started(task.lane->subject.path, task.stage(), 1);
    // Both at once: importing torch takes seconds.
    world_.spawner.start_image(tools_.verify.oracle);
    world_.spawner.start_image(
        runner_image(tools_.verify, job->verify.kind, job->verify.may_compile()));
    judgings_.start(std::move(task), std::move(*job), tools_.verify);
    return {};
  }

  Status take_judged() {
    for (auto& [task, judging] : judgings_.take_ended()) {
      if (!judging && judging.error().code == Code::interrupted) continue;
      if (!judging) {
        Judging none;
        none.verified.stages.push_back(not_judged_stage(Stage::verify, judging.error().describe()));
        judging = std::move(none);
      }
      ASSAY_TRY(steps_.take_judged(std::move(task), std::move(*judging)));
    }
    return {};
  }

  void tell_when_waiting() {
    if (!judgings_.quiet().has_waited_for_others()) return;
    if (!std::exchange(is_waiting_told_, true)) world_.events.waiting();
  }

  Status take_end(Running ended, const Ending& ending) {
    // The kernel may have been faster than we were.
    bool by_kernel = ending.kind == EndKind::lost && ending.machine_out_of_memory;
    if ((ended.ended_at_bytes > 0 && ending.kind == EndKind::stopped) || by_kernel) {
      uint64_t bytes = std::max(ended.ended_at_bytes, ending.peak_bytes);
      if (ended.task.is_done()) return {};  // it was ended after its last answer
      if (ended.task.alone) return steps_.give_up(std::move(ended.task), ending, bytes);
      enqueue(steps_.again_alone(std::move(ended.task), bytes));
      return {};
    }
    ASSAY_ASSIGN(auto next, steps_.take_end(std::move(ended.task), ending));
    for (Task& task : next) enqueue(std::move(task));
    return {};
  }

  // One at a time: what the first gives back may be enough.
  void end_the_largest_when_short() {
    if (running_.empty() || !admission_.ran_short()) return;
    ChildId largest = 0;
    uint64_t largest_bytes = 0;
    uint64_t all_bytes = 0;
    for (const auto& [child, running] : running_) {
      if (running.ended_at_bytes > 0) return;
      uint64_t bytes = world_.spawner.resident_bytes(child);
      all_bytes += bytes;
      if (bytes > largest_bytes) {
        largest = child;
        largest_bytes = bytes;
      }
    }
    // Memory that others on this machine hold is not ours to free.
    if (all_bytes < admission_.reserve_bytes() / 2) return;
    running_.at(largest).ended_at_bytes = largest_bytes;
    world_.spawner.stop(largest);
  }

  const Request& request_;
  const Tools& tools_;
  Plan plan_;
  World world_;
  Steps steps_;
  Admission admission_;
  size_t next_lane_ = 0;
  std::deque<Task> ready_;
  std::deque<Task> alone_;
  std::map<ChildId, Running> running_;
  CachedLibraries libraries_;
  Judgings<Task> judgings_;
  bool is_waiting_told_ = false;
};

}  // namespace

Status run_plan(const Request& request, const Tools& tools, Plan plan, World world) {
  return Engine(request, tools, std::move(plan), world).run();
}

}  // namespace assay
