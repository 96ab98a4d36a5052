// The half of the spawner that runs inside an image: a zygote's loop, the keeper, the worker.
//
//   assay ------ exec ------> zygote         has loaded something dear (torch, a compiler); forks
//     |                          |           on request; never reads a job
//     |<--- is the parent of ----+
//     |
//   keeper   pid 1 of a pid namespace of its own where the machine allows one, else a subreaper.
//     |      Runs only this file's code. Waits for the worker, then kills and reaps whatever the
//     |      worker left behind, and reports how it ended. Dies with assay, and all with it.
//   worker   reads the job from its socket and does it, in the image's own language
//
// A worker may be asked for in a jail (jail.h). Then the keeper makes the jail's room before it
// forks the worker, and the worker locks itself in before it says hello; nothing but this folder's
// code runs in between. Where a step fails, nothing of the image runs: the report says which.
//
// The keeper is cloned with assay as its parent, so assay waits for it directly and nobody in
// between can steal or forge its end; SIGTERM asks it to end everything below it and still report.
//
// No dependency beyond the C library: this is also built into the CPython extension.
#pragma once

#include <cstdint>

namespace assay::sandbox {

// What assay sends to a zygote, with descriptors: the worker's socket, its output pipe, the
// keeper's report pipe, the worker's scratch folder; for a jail also its layout (jail_layout.h) and
// a socket for KeeperCommands; the control group to be cloned into, if there is one; and files of
// control groups that the keeper joins by a write.
struct ForkRequest {
  static constexpr uint32_t kMagic = 0x59415341;  // "ASAY"
  static constexpr int kDescriptors = 4;
  static constexpr int kJailDescriptors = 2;
  static constexpr int kMaxDescriptors = 12;
  uint32_t magic = kMagic;
  uint32_t version = 2;
  uint32_t descriptors = kDescriptors;  // all of them
  uint32_t jailed = 0;                  // 1: with layout and command socket
  uint32_t into_group = 0;              // 1: with a control group
  uint32_t reserved = 0;
  uint64_t namespaces = 0;  // of a jail: CLONE_NEW* bits for the keeper; 0: a subreaper
  // Address space that the worker may take beyond what the image has mapped. 0: no limit
  // (AddressSanitizer reserves terabytes).
  uint64_t memory_bytes = 0;
  // Largest file, or memory file, that the worker may write.
  uint64_t file_bytes = 0;
};

// The zygote's answer to one ForkRequest.
struct ForkReply {
  int32_t keeper_pid = -1;  // in assay's pid namespace; -1: the fork failed
  int32_t error = 0;        // errno of the failure
};

// What assay asks of a jail's keeper, and what it answers when it is done.
struct KeeperCommand {
  static constexpr uint32_t kStop = 1, kContinue = 2, kMeasure = 3;
  uint32_t what = kMeasure;
};
struct KeeperAnswer {
  int32_t done = 0;    // 0: something below it could not be stopped
  int64_t cpu_ns = 0;  // of all that are or were below it
};

// What a keeper reports when the worker and all that it left behind are gone.
struct KeeperReport {
  static constexpr uint32_t kMagic = 0x454e4f44;  // "DONE"
  uint32_t magic = kMagic;
  int32_t wait_status = 0;    // of the worker, as wait4 gives it
  int64_t cpu_ns = 0;         // user + system, of all descendants
  uint64_t peak_bytes = 0;    // largest resident set of any single descendant
  uint32_t strays = 0;        // processes the worker left behind, killed by the keeper
  uint32_t in_namespace = 0;  // 1: a pid namespace held them; 0: only a subreaper
  char problem[192] = {};     // the step of entering its jail that failed; then it never ran
};

// What the host language needs around a fork. Each may be null.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*after_in_zygote)() = nullptr;
  void (*after_in_worker)() = nullptr;
};

// Serves fork requests on `control_fd` until assay closes it, then exits the process. Sends the
// zygote's hello first: {"protocol":1,"image":IMAGE,"threads":N}. Must be called with one thread.
// Returns only in a worker, which finds its socket on wire::kChannelFd; output and errors go to
// assay's pipe, and the working folder is the scratch folder. The worker's hello is already sent.
void serve_forks(int control_fd, const char* image, const ForkHooks& hooks);

// Threads of this process, from /proc. -1 without /proc.
int count_threads();

}  // namespace assay::sandbox
