// The worker's half of entering a jail: limits, user, capabilities, landlock, system calls.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sandbox/jail_enter.h"

namespace assay::sandbox {
namespace {

// The kernel's landlock interface, by number: headers of today's distributions know less of it than
// their kernels.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint64_t kExecute = 1, kWriteFile = 2, kReadFile = 4, kReadFolder = 8;
constexpr uint64_t kTruncate = 1 << 14;
constexpr uint64_t kDeviceControl = 1 << 15;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;
struct Ruleset {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};
struct __attribute__((packed)) PathRule {
  uint64_t allowed = 0;
  int32_t folder = -1;
};

// What this kernel can refuse.
Ruleset all_rights(int abi) {
  Ruleset rights;
  rights.files = (1 << 13) - 1;             // reading, writing, making and removing each kind
  if (abi >= 2) rights.files |= 1 << 13;    // moving between folders
  if (abi >= 3) rights.files |= kTruncate;  //
  if (abi >= 5) rights.files |= kDeviceControl;
  if (abi >= 4) rights.network = 3;  // bind and connect of TCP
  if (abi >= 6) rights.scoped = 3;   // abstract sockets, and signals, to those outside
  return rights;
}

bool allow(int ruleset, const char* path, uint64_t rights, JailProblem& problem) {
  int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return problem.say("open what it may read,", path, errno);
  struct stat info{};
  bool folder = ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
  PathRule rule{folder ? rights : rights & kOfFiles, fd};
  bool added = ::syscall(kAddRule, ruleset, 1, &rule, 0) == 0;
  int number = errno;
  ::close(fd);
  return added || problem.say("allow it to read", path, number);
}

bool restrict_files(const Jail& jail, const char* scratch, JailProblem& problem) {
  int abi = landlock_abi();
  if (abi < 1) {
    // In a root folder of its own there is nothing else to be seen.
    return jail.layout.own_mounts || problem.say("use landlock", "", ENOSYS);
  }
  Ruleset all = all_rights(abi);
  if (jail.layout.has_loopback) all.network = 0;  // there is nobody else in it
  size_t size = abi >= 6 ? sizeof all : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int ruleset = static_cast<int>(::syscall(kCreateRuleset, &all, size, 0));
  if (ruleset < 0) return problem.say("use landlock", "", errno);
  uint64_t read = kReadFile | kReadFolder | (jail.layout.may_exec ? kExecute : 0);
  uint64_t write = all.files & (jail.layout.may_exec ? ~uint64_t{0} : ~kExecute);
  bool allowed = true;
  if (jail.layout.own_mounts) {
    for (const char* path : {"/tmp", "/dev/shm"})
      allowed = allowed && allow(ruleset, path, write, problem);
    allowed = allowed && allow(ruleset, "/", read, problem);
  } else {
    for (const Jail::Mount& entry : jail.mounts())
      if (entry.kind == 'd' || entry.kind == 'f')
        allowed = allowed && allow(ruleset, entry.path, read, problem);
    for (const char* path : {"/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo"})
      allowed = allowed && allow(ruleset, path, kReadFile | kReadFolder, problem);
    allowed = allowed && allow(ruleset, scratch, write, problem);
  }
  const uint64_t use = kReadFile | kWriteFile | (all.files & kDeviceControl);
  bool has_devices = false;
  for (const Jail::Mount& entry : jail.mounts()) {
    if (entry.kind != 'v') continue;
    has_devices = true;
    allowed = allowed && allow(ruleset, entry.path, use, problem);
  }
  // CUDA's driver gives up where it cannot name its threads: it opens /proc/self/task/N/comm as a
  // file to be written anew.
  const uint64_t rename = kReadFile | kReadFolder | kWriteFile | (all.files & kTruncate);
  if (has_devices)
    allowed =
        allowed && allow(ruleset, jail.layout.own_mounts ? "/proc" : "/proc/self", rename, problem);
  allowed = allowed && allow(ruleset, "/dev/null", kReadFile | kWriteFile, problem);
  if (allowed && ::syscall(kRestrictSelf, ruleset, 0) != 0)
    allowed = problem.say("restrict itself with landlock", "", errno);
  ::close(ruleset);
  return allowed;
}

bool set_capabilities(uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  for (int half = 0; half < 2; ++half)
    data[half].effective = data[half].permitted = static_cast<uint32_t>(kept >> 32 * half);
  return ::syscall(SYS_capset, &header, data) == 0;
}

// What no program started from here can get back.
bool empty_bounding_set() {
  for (int number = 0; number < 64; ++number)
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0) {
      if (errno == EINVAL) break;  // past the last one
      // An ordinary user cannot; it does not matter either, without rights and new privileges.
      if (errno != EPERM) return false;
    }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);  // before Linux 4.3: there is none
  return true;
}

bool limit(__rlimit_resource resource, uint64_t value) {
  rlimit wanted{};
  if (::getrlimit(resource, &wanted) != 0) return false;
  if (wanted.rlim_max < value) value = wanted.rlim_max;
  wanted = {value, value};
  return ::setrlimit(resource, &wanted) == 0;
}

bool set_limits(const JailLayout& layout, JailProblem& problem) {
  bool set = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 1024) && limit(RLIMIT_MEMLOCK, 0) &&
             limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_SIGPENDING, 4096) && limit(RLIMIT_NICE, 0) &&
             limit(RLIMIT_RTPRIO, 0);
  if (layout.file_bytes > 0) set = set && limit(RLIMIT_FSIZE, layout.file_bytes);
  if (layout.processes > 0) set = set && limit(RLIMIT_NPROC, layout.processes);
  if (layout.cpu_seconds > 0) set = set && limit(RLIMIT_CPU, layout.cpu_seconds);
  if (layout.address_bytes > 0)
    set = set && limit(RLIMIT_AS, mapped_bytes() + layout.address_bytes);
  return set || problem.say("set its limits", "", errno);
}

bool drop_user(uid_t user, JailProblem& problem) {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 ||
      ::setresuid(user, user, user) != 0)
    return problem.say("become a user of its own", "", errno);
  return true;
}

bool replace_environment(const Jail& jail, JailProblem& problem) {
  if (::clearenv() != 0) return problem.say("empty its environment", "", errno);
  for (const char* entry : jail.environment())
    // Not copied by the C library: it must stay.
    if (::putenv(::strdup(entry)) != 0) return problem.say("set its environment", "", errno);
  return true;
}

}  // namespace

uint64_t mapped_bytes() {
  unsigned long pages = 0;
  FILE* statm = std::fopen("/proc/self/statm", "re");
  if (statm) {
    if (std::fscanf(statm, "%lu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  return uint64_t{pages} * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void be_first_to_go() {
  FILE* score = std::fopen("/proc/self/oom_score_adj", "we");
  if (!score) return;
  std::fputs("800", score);
  std::fclose(score);
}

int landlock_abi() {
  long abi = ::syscall(kCreateRuleset, nullptr, 0, 1);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

bool give_up_rights() {
  ::prctl(PR_SET_DUMPABLE, 0);
  if (!empty_bounding_set() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return set_capabilities(data[0].permitted & uint64_t{1} << CAP_KILL);
}

bool lock_in(const Jail& jail, const char* scratch_path, JailProblem& problem) {
  if (!replace_environment(jail, problem) || !set_limits(jail.layout, problem)) return false;
  if (jail.layout.level == 0) return true;
  be_first_to_go();
  if (!empty_bounding_set()) return problem.say("give up capabilities", "", errno);
  if (jail.user != 0 && !drop_user(jail.user, problem)) return false;
  // A change of user hides /proc/self from itself; there is nobody else in here to hide from.
  ::prctl(PR_SET_DUMPABLE, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the change of user has cleared it
  if (!set_capabilities(0)) return problem.say("give up capabilities", "", errno);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return problem.say("give up new privileges", "", errno);
  if (!restrict_files(jail, scratch_path, problem)) return false;
  static_assert(sizeof(sock_filter) == sizeof(uint64_t));
  sock_fprog program{static_cast<unsigned short>(jail.filter.size()),
                     reinterpret_cast<sock_filter*>(const_cast<uint64_t*>(jail.filter.data()))};
  // Without the flag some kernels slow down memory accesses of filtered processes.
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) !=
      0)
    return problem.say("filter its system calls", "", errno);
  return true;
}

}  // namespace assay::sandbox
