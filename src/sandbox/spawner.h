// assay's side of its child processes: starts images, has zygotes fork workers, carries messages,
// keeps deadlines and caps, and classifies every end. The other side is fork_server.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "sandbox/ending.h"
#include "sandbox/freezer.h"
#include "sandbox/jail.h"

namespace assay {

// A program that serves forks (fork_server.h). Started when its first worker is asked for,
// and kept until the spawner goes, or renew() replaces it. Two are the same when name, arguments
// and environment are.
struct Image {
  std::string name;                      // as its hello must say: "export", "compile"
  std::vector<std::string> argv;         // argv[0] is a path
  std::vector<std::string> environment;  // "NAME=value"; nothing else is passed on
  int64_t start_timeout_ns = 120'000'000'000;
  // All forks of one process have its address layout. After so many renew() has another take its
  // place; 0: never, as where each worker becomes another program.
  unsigned forks_until_renewed = 0;
  // Where it does not come up it is started once more, by these; empty: it is not. Of images that
  // have them, and differ in nothing but argv, one is kept.
  std::vector<std::string> argv_otherwise{};
};

// What a worker may take. Past the first three it is ended and classified.
struct Limits {
  int64_t timeout_ns = 0;  // until its next message, and from there until the one after
  size_t messages = 1;     // with the final one; so that it cannot go on for ever by talking
  // It is told more after its job, with send(). Then the time limit holds only while something is
  // awaited: from its start to its first message, from each send() to the next message, and from
  // the final message to its end. In between it may wait for ever.
  bool conversation = false;
  // With it, memory_bytes and file_bytes of this are not looked at: the jail has its own. A worker
  // that cannot enter it ends as `lost`, before anything of its image runs.
  std::optional<JailSpec> jail;
  uint64_t output_bytes = 16 << 20;
  // Of that are kept: so much of the beginning, and as much of the end.
  size_t kept_output_bytes = 32 << 10;
  uint64_t memory_bytes = 0;  // address space beyond the image's; 0: none
  uint64_t file_bytes = 0;    // largest file or result; 0: none
};

// Of a process: what can be read and written by address, and a word for each of its pages, which
// says whether it is there. A kernel may have been built without the latter; then that is none.
struct ProcessMemory {
  UniqueFd bytes, pages;
  int process = -1;  // its number, in assay's pid namespace
};

// Of a child: where it comes from.
struct Fork {
  unsigned process =
      0;  // of its image: its number, in the order in which they were started, from 1
  int64_t forked_ns = 0;  // when, by the system's clock
};

// One job: the first frame to the worker, with the descriptors that ride on it. The spawner passes
// the descriptors on and does not own them.
struct Job {
  Json body;
  std::vector<int> descriptors;
};

using ChildId = uint64_t;

// What next() reports. A child's messages come in order and before its end; there is one end.
// `nothing`: the patience is over, or somebody called wake().
struct Event {
  enum class Kind { message, ended, interrupted, nothing };
  Kind kind = Kind::message;
  ChildId child = 0;
  Json message;         // kind message: one JSON object, from a hostile process
  std::string printed;  // with it: what the child printed since its last message
  Ending ending;        // kind ended
};

// What a child's processes hold together.
struct HeldMemory {
  uint64_t rss_bytes = 0;             // what they share, with their image too, counted for each
  std::optional<uint64_t> pss_bytes;  // a part of it each, as many as share it; nothing: not known
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  // Forks a worker from `image` and sends it the job. Fails only when the image itself cannot be
  // started or has died: an inability, not a finding. So does next() where an image does not come
  // up that never did; where it did before, its workers end as `lost`, and others go on.
  virtual Result<ChildId> start(const Image& image, const Limits& limits, const Job& job) = 0;
  // Starts the image, where it has not been: its first worker need not wait so long then. One that
  // cannot be started is told by start().
  virtual void start_image(const Image& image) = 0;
  // Starts a successor for each image that has forked as often as it is to. The old process serves
  // until that is ready, so that nobody waits, and then ends; workers are not its children, and go
  // on. Coming up takes a core for seconds: not to be called while something is timed. Where a
  // successor does not come up the old one stays, for as many forks again: fork_of() shows it.
  virtual void renew() = 0;
  // Images that are coming up.
  virtual size_t coming_up() const = 0;
  // All 0: it has not been forked yet, or has ended.
  virtual Fork fork_of(ChildId child) const = 0;
  // Tells a child more after its job: one further frame, of 64 KiB at most, with descriptors that
  // are passed on and stay the caller's. What a child has not read yet must fit into 64 KiB as
  // well: one that leaves more unread is ended for breaking the protocol. Says nothing of a child
  // that has ended: its end is, or was, an event. Fails only when the frame itself cannot be sent.
  virtual Status send(ChildId child, const Json& body, const std::vector<int>& descriptors) = 0;
  // Blocks until something happens to any child, or the user interrupts, or wake() is called; for
  // `patience_ns` at most, then the event is `nothing`.
  virtual Result<Event> next(int64_t patience_ns) = 0;
  // Makes next() return an event of kind `nothing`, at once or the next time it has no other.
  // The one function that may be called from any thread.
  virtual void wake() = 0;
  // Stops all of a jailed child's processes, from any thread. Null where it has no jail, or has
  // ended.
  virtual std::shared_ptr<Freezer> freezer(ChildId child) const = 0;
  // The memory of a child's worker, while it stands still: that of the program that it is now, and
  // no other that it becomes. Fails where that is not allowed here.
  virtual Result<ProcessMemory> open_memory(ChildId child) const = 0;
  // Memory that the child's processes hold now, what they share with their image included. 0 when
  // it is not known: it has not started, or is about to end.
  virtual uint64_t resident_bytes(ChildId child) const = 0;
  // The same, and how much of that is its own. Takes milliseconds where that is much. Nothing where
  // it is not known.
  virtual std::optional<HeldMemory> held_memory(ChildId child) const = 0;
  // Ends one child. Its end comes as an event, of kind `stopped`; what it said before still comes.
  virtual void stop(ChildId child) = 0;
  // True once SIGINT, SIGTERM or SIGHUP came. Never blocks.
  virtual bool interrupted() = 0;
  // Ends every child at once, waiting half a second at most for it to be so. No event follows.
  virtual void stop_all() = 0;
};

}  // namespace assay
