#include "sandbox/system_calls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/unique_fd.h"

namespace assay {
namespace {

// The last one that has been read about (mseal, Linux 6.10). What comes later answers ENOSYS, as
// it does on the kernels before it.
constexpr uint32_t kLastKnown = 462;

constexpr const char* kRefused[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise",
    "process_mrelease", "migrate_pages", "move_pages",
    // wide interfaces of the kernel
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "fanotify_init", "fanotify_mark", "lookup_dcookie", "modify_ldt",
    "memfd_secret",
    // keys outlive processes
    "keyctl", "add_key", "request_key",
    // mounts and namespaces
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "open_tree", "mount_setattr", "unshare", "setns", "name_to_handle_at",
    "open_by_handle_at",
    // not held by namespaces at every level
    "shmget", "shmat", "msgget", "semget", "mq_open", "mq_notify",
    // clocks, and its place on the machine
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sched_setaffinity",
    "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority", "ioprio_set", "nice",
    // timers can send any signal, also one that continues what was stopped
    "timer_create",
    // the machine
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "create_module", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "vhangup", "iopl", "ioperm", "sethostname", "setdomainname", "nfsservctl", "uselib", "sysfs",
    "_sysctl", "sync", "syncfs"};

// Landlock lets one change all that is not the bytes of one's own files.
constexpr const char* kRefusedAtL1[] = {"chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown",
                                        "fchownat", "setxattr", "lsetxattr", "fsetxattr",
                                        "removexattr", "lremovexattr", "fremovexattr", "utime",
                                        "utimes", "utimensat", "futimesat", "truncate",
                                        // its group is what is stopped at the end of a window
                                        "setsid", "setpgid"};
constexpr int kFchmodat2 = 452;  // newer than some libseccomp

// Of who has no device. CUDA's driver gives up without a socket that it listens on.
constexpr const char* kRefusedWithoutDevices[] = {"socket", "bind", "listen"};
// Of who has no network of its own: what it has, it was given.
constexpr const char* kRefusedWithoutLoopback[] = {"connect", "accept", "accept4"};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {}
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void attribute(scmp_filter_attr name, uint32_t value) {
    note(seccomp_attr_set(context_, name, value));
  }
  void refuse(const char* name, uint32_t number = EPERM) {
    // Calls of other architectures, and of newer libraries, have no number here.
    if (int call = seccomp_syscall_resolve_name(name); call >= 0) add(call, number);
  }
  void refuse(int call) { add(call, EPERM); }
  // Where all bits of `mask` in the argument are those of `value`: the kernel itself looks at no
  // others, so neither must the filter.
  void refuse_where(const char* name, unsigned argument, uint64_t mask, uint64_t value) {
    scmp_arg_cmp masked{argument, SCMP_CMP_MASKED_EQ, mask, value};
    note(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name),
                                1, &masked));
  }
  void refuse_unless(const char* name, unsigned argument, uint64_t value) {
    scmp_arg_cmp other{argument, SCMP_CMP_NE, value, 0};
    note(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name),
                                1, &other));
  }

  void refuse_above(const char* name, unsigned argument, uint64_t most) {
    scmp_arg_cmp above{argument, SCMP_CMP_GT, most, 0};
    note(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name),
                                1, &above));
  }

  Result<std::vector<uint64_t>> finish() {
    UniqueFd file(::memfd_create("assay-filter", MFD_CLOEXEC));
    if (!file) return errno_error("make a file in memory");
    note(seccomp_export_bpf(context_, file.get()));
    struct stat info{};
    if (problem_ != 0 || ::fstat(file.get(), &info) != 0 || info.st_size == 0)
      return error(Code::unavailable,
                   fmt::format("cannot make a filter of system calls: error {}", -problem_),
                   "`assay doctor` shows what is missing");
    std::vector<uint64_t> filter(static_cast<size_t>(info.st_size) / sizeof(uint64_t));
    if (::pread(file.get(), filter.data(), static_cast<size_t>(info.st_size), 0) != info.st_size)
      return errno_error("read a filter of system calls");
    return filter;
  }

 private:
  void add(int call, uint32_t number) {
    note(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(number), call, 0, nullptr));
  }
  void note(int result) {
    if (result < 0 && problem_ == 0) problem_ = result;
  }

  scmp_filter_ctx context_;
  int problem_ = 0;
};

uint64_t instruction(uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t operand) {
  return uint64_t{operand} << 32 | uint64_t{if_false} << 24 | uint64_t{if_true} << 16 | code;
}

Result<std::vector<uint64_t>> compile(Isolation level, bool may_exec, bool has_devices,
                                      bool has_loopback) {
  Filter filter;
  filter.attribute(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  filter.attribute(SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree: a few comparisons for any call
  for (const char* name : kRefused) filter.refuse(name);
  if (has_loopback)
    filter.refuse_above("socket", 0, AF_INET);  // below it are AF_UNIX and none
  else if (has_devices)
    filter.refuse_unless("socket", 0, AF_UNIX);
  else
    for (const char* name : kRefusedWithoutDevices) filter.refuse(name);
  if (!has_loopback)
    for (const char* name : kRefusedWithoutLoopback) filter.refuse(name);
  if (level == Isolation::L1) {
    for (const char* name : kRefusedAtL1) filter.refuse(name);
    filter.refuse(kFchmodat2);
  }
  if (!may_exec)
    for (const char* name : {"execve", "execveat"}) filter.refuse(name);

  // Its arguments lie in memory, where a filter cannot see them: callers fall back to clone.
  filter.refuse("clone3", ENOSYS);
  for (uint64_t flag : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER,
                        CLONE_NEWPID, CLONE_NEWNET})
    filter.refuse_where("clone", 0, flag & 0xffffffff, flag & 0xffffffff);
  // Nobody in there may continue what was stopped: by a signal, as the end of a child or parent.
  filter.refuse_where("clone", 0, 0xff, SIGCONT);
  constexpr uint64_t kInt = 0xffffffff;
  for (const char* name : {"kill", "tkill", "rt_sigqueueinfo", "pidfd_send_signal"})
    filter.refuse_where(name, 1, kInt, SIGCONT);
  for (const char* name : {"tgkill", "rt_tgsigqueueinfo"})
    filter.refuse_where(name, 2, kInt, SIGCONT);
  constexpr uint64_t kSetPtracer = 0x59616d61, kSchedCore = 62;
  for (uint64_t option : {uint64_t{PR_SET_PDEATHSIG}, uint64_t{PR_SET_MM}, uint64_t{PR_SET_TSC},
                          kSetPtracer, kSchedCore})
    filter.refuse_where("prctl", 0, kInt, option);
  for (uint64_t command : {F_SETSIG, F_SETLEASE, F_NOTIFY})
    filter.refuse_where("fcntl", 1, kInt, command);
  constexpr uint64_t kPushInput = 0x5412, kLinuxConsole = 0x541c;  // TIOCSTI, TIOCLINUX
  for (uint64_t request : {kPushInput, kLinuxConsole})
    filter.refuse_where("ioctl", 1, kInt, request);
  filter.refuse_unless("socketpair", 0, AF_UNIX);
  filter.refuse_unless("personality", 0, 0xffffffff);  // which asks and changes nothing
  filter.refuse_unless("prlimit64", 0, 0);             // of itself only

  ASSAY_ASSIGN(std::vector<uint64_t> program, filter.finish());
  // Before all else: is the call newer than the list? Jumps are relative, so the rest can follow.
  const uint64_t prologue[] = {
      instruction(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0),
      instruction(BPF_JMP | BPF_JGT | BPF_K, 0, 1, kLastKnown),
      instruction(BPF_RET | BPF_K, 0, 0, SCMP_ACT_ERRNO(ENOSYS)),
  };
  program.insert(program.begin(), std::begin(prologue), std::end(prologue));
  return program;
}

}  // namespace

Result<std::vector<uint64_t>> system_call_filter(Isolation level, bool may_exec, bool has_devices,
                                                 bool has_loopback) {
  static std::mutex mutex;
  static std::map<std::tuple<Isolation, bool, bool, bool>, std::vector<uint64_t>> compiled;
  std::lock_guard lock(mutex);
  auto key = std::tuple(level == Isolation::L1 ? level : Isolation::L2, may_exec, has_devices,
                        has_loopback);
  auto found = compiled.find(key);
  if (found == compiled.end()) {
    ASSAY_ASSIGN(std::vector<uint64_t> program,
                 compile(std::get<0>(key), may_exec, has_devices, has_loopback));
    found = compiled.emplace(key, std::move(program)).first;
  }
  return found->second;
}

}  // namespace assay
