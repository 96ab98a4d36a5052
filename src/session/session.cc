#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "session/admission.h"
#include "session/judgings.h"
#include "session/memory_watch.h"
#include "session/steps.h"

namespace assay {
namespace {

// Gives tasks to children: at most `jobs` at once, as far as memory allows. What a task is and what
// follows from it is the business of Steps.
class Session {
 public:
  Session(Feed& feed, Sink& sink, const SessionSetting& setting, const Tools& tools, World world)
      : feed_(feed),
        setting_(setting),
        tools_(tools),
        world_(world),
        steps_(feed, sink, setting.force, tools_, world_),
        admission_(world.memory),
        memory_watch_(world.spawner, world.clock),
        judgings_(world.spawner, world.memory, world.clock, world.libraries, setting.folder) {}

  Status run() {
    while (true) {
      if (world_.spawner.interrupted()) return interrupted();
      if (Status wanted = feed_.take_in(); !wanted) {
        end_all();
        return wanted;
      }
      for (const std::string& attempt : feed_.take_unwanted()) drop(attempt);
      ASSAY_TRY(start_what_may_start());
      if (world_.spawner.interrupted()) return interrupted();
      if (in_flight() == 0 && is_over()) return {};
      ASSAY_ASSIGN(Event event, world_.spawner.next(patience_ns()));
      look_at_memory();
      look_at_peaks();
      if (event.kind == Event::Kind::interrupted) return interrupted();
      ASSAY_TRY(take_judged());
      judgings_.serve(running_.size());
      tell_when_waiting();
      tell_what_is_under_way();
      if (event.kind == Event::Kind::ended) take_peak_of_judging(event);
      if (judgings_.deliver(event)) continue;
      auto found = running_.find(event.child);
      if (found != running_.end() && event.kind == Event::Kind::message) {
        ASSAY_TRY(steps_.take_message(found->second.task, event));
      } else if (found != running_.end() && event.kind == Event::Kind::ended) {
        Running ended = std::move(found->second);
        running_.erase(found);
        ASSAY_TRY(take_end(std::move(ended), std::move(event.ending)));
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

  void end_all() {
    judgings_.end_all();
    world_.spawner.stop_all();
  }

  Status interrupted() {
    end_all();
    return error(Code::interrupted, "interrupted", setting_.go_on);
  }

  void drop(const std::string& attempt) {
    auto is_it = [&](const Planned& planned) { return planned.attempt.id == attempt; };
    auto is_of_it = [&](const Task& task) {
      return task.candidacy && is_it(task.candidacy->planned);
    };
    if (next_ && std::ranges::any_of(next_->planned, is_it)) next_.reset();
    for (Task& task : steps_.take_candidacies()) enqueue(std::move(task));
    std::erase_if(ready_, is_of_it);
    std::erase_if(alone_, is_of_it);
    judgings_.interrupt(is_of_it);
  }

  // Nobody looks while something is timed.
  bool tracks_memory() { return setting_.tracks_memory && !judgings_.quiet().is_taken(); }

  int64_t patience_ns() {
    return tracks_memory() ? std::min(memory_watch_.patience_ns(), kLookEveryNs) : kLookEveryNs;
  }

  void look_at_memory() {
    if (!tracks_memory() || !memory_watch_.is_due()) return;
    memory_watch_.look([&](const MemoryWatch::Take& take) {
      for (auto& [child, running] : running_)
        take(child, running.task.stage(), steps_.image(running.task).name,
             running.task.lane->memory);
      judgings_.for_each_child([&](const Task& task, ChildId child, const std::string& image) {
        take(child, task.stage(), image, *task.candidacy->memory);
      });
    });
  }

  // What the processes of a task hold together, as looks from time to time see it: what runs for
  // less than that between two of them, the kernel alone knows of, each process for itself.
  void look_at_peaks() {
    const int64_t now_ns = world_.clock.now_ns();
    if (judgings_.quiet().is_taken() || now_ns < peaks_due_ns_) return;
    peaks_due_ns_ = now_ns + (setting_.tracks_memory ? MemoryWatch::kEveryNs : kLookEveryNs);
    for (auto& [child, running] : running_)
      raise(running.task.peak_bytes, world_.spawner.resident_bytes(child));
    std::map<MemoryCurve*, uint64_t> held;
    judgings_.for_each_child([&](const Task& task, ChildId child, const std::string&) {
      held[task.candidacy->memory.get()] += world_.spawner.resident_bytes(child);
    });
    for (const auto& [curve, bytes] : held) raise(curve->peak_bytes, bytes);
  }

  // While something is timed, children are those that measure, and not of the verification.
  void take_peak_of_judging(const Event& event) {
    if (judgings_.quiet().is_taken()) return;
    judgings_.for_each_child([&](const Task& task, ChildId child, const std::string&) {
      if (child == event.child) raise(task.candidacy->memory->peak_bytes, event.ending.peak_bytes);
    });
  }

  static void raise(uint64_t& peak_bytes, uint64_t bytes) {
    peak_bytes = std::max(peak_bytes, bytes);
  }

  bool is_over() const {
    return !next_ && ready_.empty() && alone_.empty() && !steps_.has_candidacies() &&
           feed_.has_ended();
  }

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
    while (at_work() < setting_.jobs && !something_is_alone() && judgings_.quiet().lets_start()) {
      for (Task& task : steps_.take_candidacies()) enqueue(std::move(task));
      if (judgings_.memory().somebody_waits()) return {};
      if (ready_.empty() && !next_) {
        ASSAY_ASSIGN(next_, feed_.next());
      }
      bool others = !ready_.empty() || next_;
      if (in_flight() > 0 && (!others || !admission_.may_start(young()))) return {};
      if (!ready_.empty()) {
        ASSAY_TRY(launch(take_first(ready_)));
      } else if (next_) {
        ASSAY_ASSIGN(auto tasks, steps_.begin(*std::exchange(next_, std::nullopt)));
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
    size_t others = ready_.size() + (next_ ? 1 : 0) + feed_.to_come();
    bool slots_filled = others >= setting_.jobs;
    bool cores_filled = slots_filled && setting_.jobs >= setting_.cores;
    bool split = !slots_filled && !task.alone;
    return {.targets =
                split ? (task.items.size() + setting_.jobs - 1) / setting_.jobs : task.items.size(),
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
    VerifyTools tools = tools_for(steps_.verify_tools(task), task.lane->packages);
    // Both at once: importing torch takes seconds.
    if (!job->verify.tests) world_.spawner.start_image(tools.oracle);
    if (!job->look && job->verify.form->runner)
      world_.spawner.start_image(runner_image(tools, job->verify.runner()));
    task.started_ns = world_.clock.now_ns();
    judgings_.start(std::move(task), std::move(*job), std::move(tools));
    return {};
  }

  Status take_judged() {
    for (auto& [task, judging] : judgings_.take_ended()) {
      if (!judging && judging.error().code == Code::interrupted) continue;
      if (!judging) judging = not_judged(judging.error());
      ASSAY_TRY(steps_.take_judged(std::move(task), std::move(*judging)));
    }
    return {};
  }

  void tell_when_waiting() {
    if (!judgings_.quiet().has_waited_for_others()) return;
    if (!std::exchange(is_waiting_told_, true)) world_.events.waiting();
  }

  void tell_what_is_under_way() {
    std::vector<UnderWay> now;
    for (const auto& [child, running] : running_)
      now.push_back({running.task.lane->subject.path, running.task.stage(), running.started_ns});
    judgings_.for_each([&](const Task& task) {
      now.push_back({task.candidacy->planned.attempt.id, task.stage(), task.started_ns});
    });
    if (now == told_under_way_) return;
    told_under_way_ = std::move(now);
    world_.events.under_way(told_under_way_);
  }

  Status take_end(Running ended, Ending ending) {
    raise(ending.peak_bytes, ended.task.peak_bytes);
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

  Feed& feed_;
  const SessionSetting& setting_;
  const Tools& tools_;
  World world_;
  Steps steps_;
  Admission admission_;
  MemoryWatch memory_watch_;
  int64_t peaks_due_ns_ = 0;
  std::optional<Lane> next_;  // of the feed, that could not be begun yet
  std::deque<Task> ready_;
  std::deque<Task> alone_;
  std::map<ChildId, Running> running_;
  Judgings<Task> judgings_;
  bool is_waiting_told_ = false;
  std::vector<UnderWay> told_under_way_;
};

}  // namespace

Status run_session(Feed& feed, Sink& sink, const SessionSetting& setting, const Tools& tools,
                   World world) {
  return Session(feed, sink, setting, tools, world).run();
}

}  // namespace assay
