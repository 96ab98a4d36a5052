#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/children.h"

namespace assay {

// Connects a procedure on another thread with the spawner of this one: `serve()` and `deliver()`
// are called by the spawner's thread, the rest by the others.
class Switchboard final : public Children {
 public:
  explicit Switchboard(Spawner& spawner) : spawner_(spawner) {}

  // Does what has been asked for since the last time. Call after every Spawner::next().
  void serve();
  // Takes the event when it is of a child that the procedure started. Otherwise false.
  bool deliver(Event& event);
  // Those that it started and that have not ended, with the names of their images. Of the spawner's
  // thread.
  std::vector<std::pair<ChildId, std::string>> children();
  // From now on every call of a procedure fails, and what it started is stopped.
  void interrupt();

  void start_image(const Image& image) override;
  Result<ChildId> start(const Image& image, const Limits& limits, const Job& job) override;
  Status send(ChildId child, const Json& body, const std::vector<int>& descriptors) override;
  Result<Event> next(ChildId child, int64_t patience_ns) override;
  void stop(ChildId child) override;
  void forget(ChildId child) override;
  std::shared_ptr<Freezer> freezer(ChildId child) override;
  Fork fork_of(ChildId child) override;
  Result<ProcessMemory> open_memory(ChildId child) override;

 private:
  // Has the spawner's thread do it, and waits. False when interrupted before.
  bool on_the_spawners_thread(const std::function<void()>& request);

  Spawner& spawner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool interrupted_ = false;
  struct Request {
    const std::function<void()>* what;
    bool* done;
  };
  std::deque<Request> requests_;
  struct Box {
    std::string image;  // of the child that the events are of
    std::deque<Event> events{};
  };
  std::map<ChildId, Box> boxes_;
};

}  // namespace assay
