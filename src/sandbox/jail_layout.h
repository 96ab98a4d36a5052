// What the forked side is told about a jail: one file in memory, sealed, with a JailLayout, then a
// system call filter, then strings. Written by assay (jail.cc); read by the keeper after the clone
// (jail_enter.cc), never by a zygote.
//
// No dependency beyond the C library: this is also built into the CPython extension.
#pragma once

#include <cstdint>

namespace assay::sandbox {

struct JailLayout {
  static constexpr uint32_t kMagic = 0x4c49414a;  // "JAIL"
  static constexpr uint32_t kVersion = 2;
  static constexpr int kCpuWords = 16;

  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t level = 0;             // as Isolation
  uint32_t may_exec = 0;          // 1: it may start programs, its own or those of its binds
  uint32_t drop_user = 0;         // 1: root's jail: it gets a user of its own
  uint32_t own_mounts = 0;        // 1: it is in fresh namespaces and gets a root folder of its own
  uint32_t processes = 0;         // and threads, of its user; 0: no limit of its own
  uint32_t cpu_seconds = 0;       // of one process; 0: none
  uint64_t address_bytes = 0;     // of one process, beyond what the image has mapped; 0: none
  uint64_t file_bytes = 0;        // largest file; 0: none
  uint64_t disk_bytes = 0;        // /tmp, and as much again /dev/shm; 0: none
  uint64_t cpus[kCpuWords] = {};  // a mask; empty: all
  uint32_t filter_count = 0;      // instructions; 8 bytes each, right after this
  uint32_t mount_count = 0;       // then the strings, each with a zero at its end
  uint32_t environment_count = 0;
  uint32_t string_bytes = 0;
  uint32_t has_loopback = 0;  // 1: the one interface of its own network works
  uint32_t reserved = 0;
};

// Each mount is a string of one letter and a path: folder ("d"), file ("f"), device ("v"), or link
// ("l"), which is followed by a string with its target. The environment's strings follow the
// mounts'.

// The user of a root's jail is this plus its keeper's pid: nobody else's on this machine while it
// runs. Above what distributions and containers hand out.
inline constexpr uint32_t kFirstUser = 1'900'000'000;

}  // namespace assay::sandbox
