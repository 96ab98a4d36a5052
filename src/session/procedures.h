#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sandbox/switchboard.h"

namespace assay {

// How often those who wait for children look at memory, and at what else tells nobody that it
// changed.
inline constexpr int64_t kLookEveryNs = 100'000'000;

// Procedures under way, each on a thread of its own, that talk with their children by way of the
// spawner's thread, which is the one that calls all this. `About` says which one it is; `Outcome`
// is a Result.
template <class About, class Outcome>
class Procedures {
 public:
  explicit Procedures(Spawner& spawner) : spawner_(spawner) {}
  ~Procedures() { end_all(); }

  // Does what they have asked for since the last time. Call after every Spawner::next().
  void serve() {
    for (auto& running : running_) running->switchboard.serve();
  }
  // Takes the event when it is of a child of one of them. Otherwise false.
  bool deliver(Event& event) {
    return std::ranges::any_of(running_,
                               [&](auto& running) { return running->switchboard.deliver(event); });
  }
  size_t count() const { return running_.size(); }
  // Those that are under way, in the order in which they began.
  void for_each(const std::function<void(const About&)>& look) const {
    for (const auto& running : running_) look(running->about);
  }

  // Their children that have not ended, with the names of their images.
  using LookAtChild = std::function<void(const About&, ChildId child, const std::string& image)>;
  void for_each_child(const LookAtChild& look) {
    for (auto& running : running_)
      for (const auto& [child, image] : running->switchboard.children())
        look(running->about, child, image);
  }

  void start(About about, std::function<Outcome(Children&)> procedure) {
    auto& running = *running_.emplace_back(std::make_unique<Running>(spawner_));
    running.about = std::move(about);
    running.thread = std::thread([this, &running, procedure = std::move(procedure)] {
      Outcome outcome = outcome_of(procedure, running.switchboard);
      std::lock_guard lock(running.mutex);
      running.outcome = std::move(outcome);
      spawner_.wake();
    });
  }

  // Those that are through, with what came of them.
  std::vector<std::pair<About, Outcome>> take_ended() {
    std::vector<std::pair<About, Outcome>> ended;
    std::erase_if(running_, [&](const std::unique_ptr<Running>& running) {
      {
        std::lock_guard lock(running->mutex);
        if (!running->outcome) return false;
      }
      running->thread.join();
      ended.emplace_back(std::move(running->about), std::move(*running->outcome));
      return true;
    });
    return ended;
  }

  // Interrupts those that `is_it` says: they unwind, and are among those that are through.
  void interrupt(const std::function<bool(const About&)>& is_it) {
    for (auto& running : running_)
      if (is_it(running->about)) running->switchboard.interrupt();
  }

  // Interrupts all, and waits until they have unwound.
  void end_all() {
    for (auto& running : running_) running->switchboard.interrupt();
    for (auto& running : running_) running->thread.join();
    running_.clear();
  }

 private:
  struct Running {
    explicit Running(Spawner& spawner) : switchboard(spawner) {}
    About about;
    Switchboard switchboard;
    std::thread thread;
    std::mutex mutex;
    std::optional<Outcome> outcome;  // set by the thread, as the last it does
  };

  // Sizes come from strangers: what asks for more memory than there is fails alone.
  static Outcome outcome_of(const std::function<Outcome(Children&)>& procedure,
                            Children& children) {
    try {
      return procedure(children);
    } catch (const std::exception& failure) {
      return error(Code::unavailable,
                   fmt::format("assay itself could not go on: {}", failure.what()));
    }
  }

  Spawner& spawner_;
  std::list<std::unique_ptr<Running>> running_;
};

}  // namespace assay
