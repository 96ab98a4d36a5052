#include "sandbox/switchboard.h"

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace assay {
namespace {

std::unexpected<Error> interrupted() { return error(Code::interrupted, "interrupted"); }

}  // namespace

void Switchboard::serve() {
  std::unique_lock lock(mutex_);
  while (!requests_.empty()) {
    Request request = requests_.front();
    requests_.pop_front();
    // Without the lock: the spawner may block for milliseconds, and others only want their mail.
    lock.unlock();
    (*request.what)();
    lock.lock();
    *request.done = true;
    changed_.notify_all();
  }
}

bool Switchboard::deliver(Event& event) {
  std::lock_guard lock(mutex_);
  auto box = boxes_.find(event.child);
  if (box == boxes_.end()) return false;
  box->second.events.push_back(std::move(event));
  changed_.notify_all();
  return true;
}

std::vector<std::pair<ChildId, std::string>> Switchboard::children() {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<ChildId, std::string>> all;
  for (const auto& [child, box] : boxes_) all.emplace_back(child, box.image);
  return all;
}

void Switchboard::interrupt() {
  std::vector<ChildId> children;
  {
    std::lock_guard lock(mutex_);
    interrupted_ = true;
    requests_.clear();
    for (const auto& [child, box] : boxes_) children.push_back(child);
    changed_.notify_all();
  }
  for (ChildId child : children) spawner_.stop(child);
}

// interrupt() and serve() are calls of one thread: what waits here has been done, or never will be.
bool Switchboard::on_the_spawners_thread(const std::function<void()>& request) {
  std::unique_lock lock(mutex_);
  if (interrupted_) return false;
  bool done = false;
  requests_.push_back({&request, &done});
  spawner_.wake();
  changed_.wait(lock, [&] { return done || interrupted_; });
  return done;
}

Result<ChildId> Switchboard::start(const Image& image, const Limits& limits, const Job& job) {
  Result<ChildId> child = interrupted();
  on_the_spawners_thread([&] {
    child = spawner_.start(image, limits, job);
    if (!child) return;
    std::lock_guard lock(mutex_);
    boxes_[*child] = {image.name};
  });
  return child;
}

Status Switchboard::send(ChildId child, const Json& body, const std::vector<int>& descriptors) {
  Status sent = interrupted();
  on_the_spawners_thread([&] { sent = spawner_.send(child, body, descriptors); });
  return sent;
}

Result<Event> Switchboard::next(ChildId child, int64_t patience_ns) {
  std::unique_lock lock(mutex_);
  auto found = boxes_.find(child);
  if (found == boxes_.end()) return error(Code::unavailable, "the child has ended");
  std::deque<Event>& box = found->second.events;
  changed_.wait_for(lock, std::chrono::nanoseconds(patience_ns),
                    [&] { return !box.empty() || interrupted_; });
  if (interrupted_) return interrupted();
  Event event;
  event.kind = Event::Kind::nothing;
  event.child = child;
  if (box.empty()) return event;
  event = std::move(box.front());
  box.pop_front();
  if (event.kind == Event::Kind::ended) boxes_.erase(child);
  return event;
}

void Switchboard::start_image(const Image& image) {
  on_the_spawners_thread([&] { spawner_.start_image(image); });
}

void Switchboard::stop(ChildId child) {
  on_the_spawners_thread([&] { spawner_.stop(child); });
}

void Switchboard::forget(ChildId child) {
  on_the_spawners_thread([&] {
    std::lock_guard lock(mutex_);
    auto box = boxes_.find(child);
    if (box == boxes_.end()) return;  // it has ended
    boxes_.erase(box);
    spawner_.stop(child);
  });
}

std::shared_ptr<Freezer> Switchboard::freezer(ChildId child) {
  std::shared_ptr<Freezer> freezer;
  on_the_spawners_thread([&] { freezer = spawner_.freezer(child); });
  return freezer;
}

Fork Switchboard::fork_of(ChildId child) {
  Fork fork;
  on_the_spawners_thread([&] { fork = spawner_.fork_of(child); });
  return fork;
}

Result<ProcessMemory> Switchboard::open_memory(ChildId child) {
  Result<ProcessMemory> memory = interrupted();
  on_the_spawners_thread([&] { memory = spawner_.open_memory(child); });
  return memory;
}

}  // namespace assay
