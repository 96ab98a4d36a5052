#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/capture.h"
#include "sandbox/fork_server.h"
#include "sandbox/image_process.h"
#include "sandbox/jail_group.h"
#include "sandbox/spawner.h"
#include "sandbox/wire.h"

namespace assay {

// What a child's jail is made of before it is forked.
struct JailStart {
  UniqueFd layout;
  UniqueFd keeper_end;  // of the socket behind a keeper_freezer()
  uint64_t namespaces = 0;
  std::unique_ptr<JailGroup> group;  // null below L3
  std::shared_ptr<Freezer> freezer;
};

// A frame on its way to a child.
struct Outgoing {
  std::string bytes;
  std::vector<UniqueFd> descriptors;
};

// One worker as assay sees it: its keeper, its socket, its pipes, its deadline. Passive: the
// spawner polls its descriptors and calls it; it appends what happened to the spawner's events.
class Child {
 public:
  Child(ChildId id, Limits limits, Outgoing job, std::optional<JailStart> jail,
        std::string scratch);
  ~Child();  // ends everything below the keeper, and removes the scratch folder

  // Has the zygote fork, which has this number. On failure the child is as before.
  Status fork_from(ImageProcess& zygote, unsigned number, int64_t now_ns);

  ChildId id() const { return id_; }
  bool forked() const { return static_cast<bool>(keeper_); }
  Fork fork_facts() const { return fork_; }  // all 0: it is not forked yet
  int channel_fd() const { return channel_.get(); }
  int output_fd() const { return output_.get(); }
  int report_fd() const { return report_.get(); }

  // Sends a frame after the job and those before it: at once, or when the child has greeted.
  void send(Outgoing frame, int64_t now_ns);

  std::shared_ptr<Freezer> freezer() const { return jail_ ? jail_->freezer : nullptr; }

  // Call when the descriptor can be read.
  void read_channel(std::deque<Event>& events, int64_t now_ns);
  void read_output();
  // True when the keeper has reported, or is gone: the end has been appended to `events`, and the
  // child is done.
  bool read_report(std::deque<Event>& events, int64_t now_ns);

  // The keeper of a child that is done: it is on its way out, which takes milliseconds where it
  // gives back the memory of a large image, and wants to be reaped.
  UniqueFd take_keeper() { return std::move(keeper_); }

  // When check_deadline() must be called at the latest.
  int64_t deadline_ns() const { return deadline_ns_; }
  void check_deadline(int64_t now_ns);

  // Its worker's memory.
  Result<ProcessMemory> open_memory() const;
  // Of all processes below the keeper, what they share with the image counted for each.
  uint64_t resident_bytes() const;
  // The same, with how much of it is theirs alone. Nothing: there are none.
  std::optional<HeldMemory> held_memory() const;

  // Asks the keeper to end everything; the end still comes through read_report().
  void stop(int64_t now_ns);

 private:
  struct Resident {
    pid_t pid = 0;
    uint64_t all_bytes = 0;  // that it holds
    uint64_t bytes = 0;      // that count: 0 where all are still its parent's
  };
  std::vector<Resident> residents() const;  // of the processes below the keeper
  void signal_keeper(int number);
  void terminate(int64_t now_ns);
  void protocol_problem(const std::string& problem, int64_t now_ns);
  void take_frame(const std::string& body, std::deque<Event>& events, int64_t now_ns);
  void send_waiting(int64_t now_ns);

  ChildId id_;
  Limits limits_;
  std::deque<Outgoing> to_send_;  // the job first
  std::optional<JailStart> jail_;
  std::string scratch_;

  UniqueFd keeper_;  // a pidfd
  pid_t keeper_pid_ = 0;
  Fork fork_;
  UniqueFd channel_;
  UniqueFd output_;
  UniqueFd report_;

  wire::Decoder decoder_;
  Capture printed_;
  Capture printed_since_message_;
  std::string report_bytes_;
  EndFacts facts_;
  size_t messages_ = 0;
  bool terminating_ = false;
  uint64_t kills_before_ = 0;
  int64_t started_ns_ = 0;
  int64_t ready_ns_ = 0;
  int64_t deadline_ns_ = INT64_MAX;
};

// Reaps the process behind a pidfd. False while it is still running and `wait` is not asked for.
bool reap(const UniqueFd& pidfd, bool wait);

}  // namespace assay
