#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sandbox/spawner.h"

namespace assay {

// A spawner without processes: each job is answered at once by a function, and remembered.
class FakeSpawner final : public Spawner {
 public:
  // What a worker would do: fills the job's descriptors, returns its messages and its end.
  struct Deed {
    std::vector<Json> messages;
    EndKind end = EndKind::answered;
    std::string end_message = "answered";
    bool machine_out_of_memory = false;
  };
  std::function<Deed(const Image&, const Job&)> worker;
  std::vector<std::pair<std::string, Json>> started;  // image name and job, in order
  size_t most_at_once = 0;
  size_t interrupt_after = SIZE_MAX;  // events
  bool stopped = false;

  Result<ChildId> start(const Image& image, const Limits&, const Job& job) override {
    started.emplace_back(image.name, job.body);
    Deed deed = worker(image, job);
    ChildId id = ++last_;
    for (Json& message : deed.messages) {
      Event event;
      event.child = id;
      event.message = std::move(message);
      events_.push_back(std::move(event));
    }
    Event end;
    end.kind = Event::Kind::ended;
    end.child = id;
    end.ending.kind = deed.end;
    end.ending.message = deed.end_message;
    end.ending.machine_out_of_memory = deed.machine_out_of_memory;
    end.ending.wall_ns = 5'000'000;
    end.ending.cpu_ns = 4'000'000;
    events_.push_back(std::move(end));
    ++running_;
    most_at_once = std::max(most_at_once, running_);
    return id;
  }
  void start_image(const Image&) override {}
  size_t renewals = 0;          // how often renew() was called
  size_t images_coming_up = 0;  // what coming_up() says

  void renew() override { ++renewals; }
  size_t coming_up() const override { return images_coming_up; }
  Fork fork_of(ChildId) const override { return {1, 1}; }
  std::map<ChildId, uint64_t> resident;  // what resident_bytes() says of a child
  bool knows_sharing = true;             // held_memory() says that half of it is its own
  std::vector<ChildId> ended;            // by stop()

  std::shared_ptr<Freezer> freezer(ChildId) const override { return nullptr; }
  Result<ProcessMemory> open_memory(ChildId) const override {
    return error(Code::unavailable, "it has no memory of its own");
  }
  uint64_t resident_bytes(ChildId child) const override {
    auto found = resident.find(child);
    return found == resident.end() ? 0 : found->second;
  }
  std::optional<HeldMemory> held_memory(ChildId child) const override {
    auto found = resident.find(child);
    if (found == resident.end()) return std::nullopt;
    HeldMemory held{found->second, {}};
    if (knows_sharing) held.pss_bytes = found->second / 2;
    return held;
  }
  // What it had not said yet is lost.
  void stop(ChildId child) override {
    ended.push_back(child);
    std::erase_if(events_, [&](const Event& event) { return event.child == child; });
    Event end;
    end.kind = Event::Kind::ended;
    end.child = child;
    end.ending.kind = EndKind::stopped;
    end.ending.message = "was stopped";
    events_.push_back(std::move(end));
  }
  std::vector<std::pair<ChildId, Json>> sent;  // by send(), in order

  Status send(ChildId child, const Json& body, const std::vector<int>&) override {
    sent.emplace_back(child, body);
    return {};
  }
  void wake() override { woken_ = true; }
  bool has_events() const { return woken_ || !events_.empty(); }  // or next() has nothing to say
  Result<Event> next(int64_t) override {
    Event event;
    if (events_.empty() && woken_.exchange(false)) {
      event.kind = Event::Kind::nothing;
      return event;
    }
    if (interrupt_after-- == 0) {
      event.kind = Event::Kind::interrupted;
      return event;
    }
    event = std::move(events_.front());
    events_.pop_front();
    if (event.kind == Event::Kind::ended) --running_;
    return event;
  }
  bool interrupted() override { return false; }
  void stop_all() override {
    stopped = true;
    events_.clear();
  }

 private:
  ChildId last_ = 0;
  size_t running_ = 0;
  std::atomic<bool> woken_ = false;
  std::deque<Event> events_;
};

}  // namespace assay
