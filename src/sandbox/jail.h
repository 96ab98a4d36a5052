// What a jailed worker may have, and the file that tells the forked side so. Entering it is
// jail_enter.h; docs/trust.md says what it guarantees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/unique_fd.h"
#include "sandbox/isolation.h"

namespace assay {

// A worker that cannot be put into exactly this jail does not run: it ends as `lost`.
struct JailSpec {
  Isolation level = Isolation::L2;
  // Files and folders that it may read, and run where it may: absolute paths. A path that does not
  // exist is left out; a link is shown as one, together with what it leads to.
  std::vector<std::string> read_only;
  // Device nodes that it may use, as far as their own rights let it. With any it may make sockets
  // of its own machine, as drivers do, which connect to nothing; and its address space has no
  // limit, since drivers reserve more than there is memory.
  std::vector<std::string> devices{};
  // Its processes may connect to each other, over a network that has nothing but themselves. Only
  // from L2 on, where a network of its own is what it has.
  bool has_loopback = false;
  // Its whole environment, "NAME=value"; HOME and TMPDIR, its working folder, are added.
  std::vector<std::string> environment;
  bool may_exec = false;      // start programs
  unsigned processes = 64;    // and threads
  unsigned cpu_seconds = 0;   // of one process; 0: no limit
  uint64_t memory_bytes = 0;  // of all its processes at L3, of each below; 0: no limit
  uint64_t file_bytes = 0;    // the largest file; 0: no limit
  // Of /tmp, and as much again of /dev/shm. Below L2 there is no such limit.
  uint64_t disk_bytes = 256 << 20;
  std::vector<int> cpus;  // that it may run on; empty: all
};

// What the machine brings into a jail's layout.
struct JailMeans {
  bool as_root = false;          // gets a user of its own; needs no user namespace
  bool memory_in_group = false;  // its control group limits memory
};

// The sealed file for the forked side.
Result<UniqueFd> jail_layout(const JailSpec& spec, const JailMeans& means);

// The namespaces of a level, as clone() takes them.
uint64_t jail_namespaces(Isolation level, bool as_root);

// True where this process may give jails users of their own.
bool can_give_users();

}  // namespace assay
