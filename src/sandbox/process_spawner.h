#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sandbox/child.h"
#include "sandbox/image_process.h"
#include "sandbox/spawner.h"

namespace assay {

// The spawner with real processes. One per process, on its main thread: it takes over SIGINT,
// SIGTERM and SIGHUP, and its children die with the thread that made them.
class ProcessSpawner final : public Spawner {
 public:
  // Workers get their scratch folders below `scratch_root`, which is created and removed.
  static Result<std::unique_ptr<ProcessSpawner>> create(std::string scratch_root);
  ~ProcessSpawner() override;

  Result<ChildId> start(const Image& image, const Limits& limits, const Job& job) override;
  void start_image(const Image& image) override;
  void renew() override;
  size_t coming_up() const override;
  Fork fork_of(ChildId child) const override;
  Status send(ChildId child, const Json& body, const std::vector<int>& descriptors) override;
  Result<Event> next(int64_t patience_ns) override;
  void wake() override;
  std::shared_ptr<Freezer> freezer(ChildId child) const override;
  Result<ProcessMemory> open_memory(ChildId child) const override;
  uint64_t resident_bytes(ChildId child) const override;
  std::optional<HeldMemory> held_memory(ChildId child) const override;
  void stop(ChildId child) override;
  bool interrupted() override;
  void stop_all() override;

 private:
  ProcessSpawner(std::string scratch_root, UniqueFd signals, UniqueFd wakes);

  struct Zygote {
    Image image;
    ImageProcess process;
    unsigned number = 0;
    unsigned forks = 0;
    std::vector<ChildId> waiting{};  // children to fork once it is ready
  };
  using Zygotes = std::map<std::string, Zygote>;  // by all that makes an image what it is
  struct Watched;                                 // one entry of a poll
  // A zygote that did not come up, or could not fork the first of those that waited for it.
  struct NotUp {
    std::string key;
    bool is_successor = false;
    Error why;
  };

  Result<Zygote> start_zygote(const Image& image);
  Result<Zygotes::iterator> zygote(const std::string& key, const Image& image);
  Result<JailStart> prepare_jail(ChildId id, const JailSpec& spec);
  Status fork_waiting(Zygote& zygote);
  void let_successors_take_over();
  Status do_without(NotUp zygote);
  Status poll_once(int timeout_ms);
  int milliseconds_to_deadline() const;

  std::string scratch_root_;
  UniqueFd signals_;
  UniqueFd wakes_;  // an eventfd
  bool interrupted_ = false;
  bool woken_ = false;
  ChildId last_id_ = 0;
  unsigned last_zygote_ = 0;
  std::unique_ptr<JailGroups> groups_;  // made for the first jail that needs them
  Zygotes zygotes_;
  Zygotes successors_;             // of zygotes with the same key, that are coming up
  std::set<std::string> came_up_;  // names of images that did once
  std::map<ChildId, std::unique_ptr<Child>> children_;
  std::vector<UniqueFd> leaving_;  // keepers that have reported and are ending
  std::deque<Event> events_;
};

}  // namespace assay
