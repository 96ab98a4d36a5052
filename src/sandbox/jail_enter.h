// Entering a jail, on the forked side: the keeper makes the room, the worker locks itself in.
// assay's side of it is jail.h.
//
// No dependency beyond the C library: this is also built into the CPython extension.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/jail_layout.h"

namespace assay::sandbox {

// Which step of entering failed, in words. Lives in memory that keeper and worker share.
struct JailProblem {
  char text[192] = {};
  // "cannot STEP DETAIL: No space left on device". Returns false, for `return problem.say(...)`.
  bool say(const char* step, const char* detail, int number);
};

struct Jail {
  JailLayout layout;
  std::vector<uint64_t> filter;
  std::string strings;
  uid_t user = 0;  // dropped to by the worker; found by make_room()

  struct Mount {
    char kind;
    const char* path;
    const char* target;
  };
  std::vector<Mount> mounts() const;
  std::vector<const char*> environment() const;
};

// Reads a jail's file. False, with the problem, where it is none.
bool read_jail(int fd, Jail& jail, JailProblem& problem);

// In the keeper, before the worker is forked. Joins the control groups behind `groups` (files of
// which each takes a process by a write), and, where the layout says so, makes a root folder out of
// nothing but the jail's mounts and moves into it. `scratch` is a folder: covered by the new root,
// else given to the jail's user.
bool make_room(Jail& jail, int scratch, const int* groups, size_t group_count,
               JailProblem& problem);

// In a fresh user namespace every file would seem to belong to nobody: maps ourselves to ourselves.
// Where a security module forbids it, only the names of users look odd in there; access stays.
void map_own_ids(uid_t uid, gid_t gid);

// In the worker, last: limits, user, capabilities, landlock, system calls; the environment is
// replaced by the jail's. `scratch_path`: the one folder it may write without mounts of its own.
bool lock_in(const Jail& jail, const char* scratch_path, JailProblem& problem);

// In the keeper, when the worker is forked: keeps nothing but the right to send signals.
bool give_up_rights();

// Address space that this process has mapped.
uint64_t mapped_bytes();

// Should the kernel have to end a process for memory, then this one and not assay or the user's.
void be_first_to_go();

// The landlock ABI of this kernel; 0: none.
int landlock_abi();

}  // namespace assay::sandbox
