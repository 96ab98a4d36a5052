#include "sandbox/fork_server.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "sandbox/jail_enter.h"
#include "sandbox/keeper.h"
#include "sandbox/wire.h"

namespace assay::sandbox {
namespace {

// A worker or keeper that cannot be set up ends with this, before its hello: assay then knows that
// it is no finding.
constexpr int kSetupFailedExit = 120;

// pid namespaces need root or an unprivileged user namespace; both may be switched off. Found out
// by the first fork and kept for the life of the zygote.
enum class Holding { unknown, pid_namespace, user_and_pid_namespace, subreaper };

pid_t clone_sibling(unsigned long extra_flags) {
  // The keeper becomes assay's child, not ours; its exit signal is then that of this process. Not
  // clone3: the system call filters of older container engines hide it.
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | extra_flags, 0, 0, 0, 0));
}

// For a jail: in its namespaces from the first instruction on, and in its control group where the
// kernel can do that; else the keeper joins it by hand (make_room()).
pid_t clone_jail_keeper(const ForkRequest& request, const int* fds, bool* in_group) {
  *in_group = false;
  if (request.into_group) {
    struct {
      uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
          set_tid_size, cgroup;
    } arguments{};
    constexpr uint64_t kIntoCgroup = 0x200000000;
    arguments.flags = CLONE_PARENT | request.namespaces | kIntoCgroup;
    arguments.cgroup =
        static_cast<uint64_t>(fds[ForkRequest::kDescriptors + ForkRequest::kJailDescriptors]);
    auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    *in_group = pid >= 0;
    if (pid >= 0 || (errno != ENOSYS && errno != EPERM && errno != E2BIG && errno != EINVAL))
      return pid;
  }
  return clone_sibling(request.namespaces);
}

// A failure that will stay: the weaker way is taken from now on. Others (no memory, too many
// processes) say nothing about namespaces.
bool not_allowed(int number) {
  return number == EPERM || number == EINVAL || number == ENOSPC || number == EUSERS ||
         number == ENOSYS;
}

// The ways of holding a worker, the strongest first.
struct Way {
  Holding holding;
  unsigned long flags;
};
constexpr Way kWays[] = {{Holding::pid_namespace, CLONE_NEWPID},
                         {Holding::user_and_pid_namespace, CLONE_NEWUSER | CLONE_NEWPID},
                         {Holding::subreaper, 0}};

pid_t clone_keeper(Holding& holding) {
  for (const Way& way : kWays) {
    if (holding != Holding::unknown && holding != way.holding) continue;
    pid_t pid = clone_sibling(way.flags);
    if (pid >= 0) holding = way.holding;
    if (holding == way.holding || !not_allowed(errno)) return pid;
  }
  return -1;
}

Holding holding_of(uint64_t namespaces) {
  if (namespaces & CLONE_NEWUSER) return Holding::user_and_pid_namespace;
  return namespaces & CLONE_NEWPID ? Holding::pid_namespace : Holding::subreaper;
}

void set_limit(int resource, uint64_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
  limit.rlim_max = limit.rlim_cur;
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

void set_limits(const ForkRequest& request) {
  set_limit(RLIMIT_CORE, 0);
  if (request.file_bytes > 0) set_limit(RLIMIT_FSIZE, request.file_bytes);
  if (request.memory_bytes > 0) set_limit(RLIMIT_AS, mapped_bytes() + request.memory_bytes);
}

// In the keeper of a jail, before the worker is there. Everything in here may fail for reasons of
// the machine, so it says which step did.
bool enter_room(const ForkRequest& request, const int* fds, bool in_group, Jail& jail,
                JailProblem& problem) {
  const int* next = fds + ForkRequest::kDescriptors;
  int layout = *next;
  next += ForkRequest::kJailDescriptors;
  int group = request.into_group ? *next++ : -1;
  int groups[ForkRequest::kMaxDescriptors];
  size_t count = 0;
  if (group >= 0 && !in_group) {
    groups[count] = ::openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (groups[count] < 0) return problem.say("join its control group", "", errno);
    ++count;
  }
  while (next < fds + request.descriptors) groups[count++] = *next++;
  return read_jail(layout, jail, problem) && make_room(jail, fds[3], groups, count, problem);
}

// Runs in the worker. Everything above the socket belongs to assay or to other jobs: closed.
bool enter_worker(const ForkRequest& request, const int* fds, const sigset_t& mask,
                  const Jail* jail, JailProblem& problem) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with its keeper, should that be killed
  ::setsid();
  if (jail && jail->layout.own_mounts) {
    if (::chdir("/tmp") != 0) return problem.say("go to /tmp", "", errno);
  } else if (::fchdir(fds[3]) != 0) {
    return problem.say("go to its scratch folder", "", errno);
  }
  int output = ::fcntl(fds[1], F_DUPFD_CLOEXEC, 64);
  int channel = ::fcntl(fds[0], F_DUPFD_CLOEXEC, 64);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (output < 0 || channel < 0 || null < 0) return false;
  if (::dup2(null, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) return false;
  // Close-on-exec: what the worker starts must not be able to answer for it.
  if (::dup3(channel, wire::kChannelFd, O_CLOEXEC) < 0) return false;
  ::syscall(SYS_close_range, wire::kChannelFd + 1, ~0u, 0);
  char scratch[4096];
  if (!::getcwd(scratch, sizeof scratch)) return problem.say("find its folder", "", errno);
  if (jail) {
    if (!lock_in(*jail, scratch, problem)) return false;
  } else {
    set_limits(request);
    be_first_to_go();
  }
  ::setenv("TMPDIR", scratch, 1);
  if (jail) ::setenv("HOME", scratch, 1);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  char hello[64];
  std::snprintf(hello, sizeof hello, "{\"protocol\":%d,\"worker\":true}", wire::kVersion);
  return wire::send(wire::kChannelFd, wire::frame(hello));
}

// Descriptors in rising order.
void close_all_but(int first, int second, int third) {
  int low = 0;
  for (int kept : {first, second, third}) {
    if (kept > low) ::syscall(SYS_close_range, low, kept - 1, 0);
    low = kept + 1;
  }
  ::syscall(SYS_close_range, low, ~0u, 0);
}

// Tells assay, and ends.
[[noreturn]] void leave(int report_fd, const KeeperReport& report) {
  bool reported = ::write(report_fd, &report, sizeof report) == sizeof report;
  ::_exit(reported ? 0 : kSetupFailedExit);
}

// Runs in the keeper. Returns only in the worker.
void run_keeper(const ForkRequest& request, const int* fds, Holding holding, bool in_group,
                uid_t uid, gid_t gid, const ForkHooks& hooks) {
  bool in_namespace = holding != Holding::subreaper;
  ::prctl(PR_SET_PDEATHSIG, in_namespace ? SIGKILL : SIGTERM);
  ::prctl(PR_SET_NAME, "assay-keeper");
  if (holding == Holding::user_and_pid_namespace) map_own_ids(uid, gid);
  if (!in_namespace) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();
  sigset_t inherited;
  int signals = watch_signals(&inherited);
  if (signals < 0) ::_exit(kSetupFailedExit);
  // Shared with the worker, so that it can say what failed where it has no voice yet.
  void* page = ::mmap(nullptr, sizeof(JailProblem), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) ::_exit(kSetupFailedExit);
  auto* problem = new (page) JailProblem;
  Jail jail;
  if (request.jailed && !enter_room(request, fds, in_group, jail, *problem)) {
    KeeperReport report;
    report.in_namespace = in_namespace ? 1 : 0;
    std::memcpy(report.problem, problem->text, sizeof report.problem);
    leave(fds[2], report);
  }
  // The C library's fork, not a raw clone: the worker is a full process of the host language.
  pid_t worker = ::fork();
  if (worker < 0) ::_exit(kSetupFailedExit);
  if (worker == 0) {
    if (!enter_worker(request, fds, inherited, request.jailed ? &jail : nullptr, *problem))
      ::_exit(kSetupFailedExit);
    ::munmap(page, sizeof(JailProblem));
    ::prctl(PR_SET_NAME, "assay-worker");
    if (hooks.after_in_worker) hooks.after_in_worker();
    return;
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  int report_fd = ::fcntl(fds[2], F_DUPFD_CLOEXEC, 64);
  int signals_fd = ::fcntl(signals, F_DUPFD_CLOEXEC, report_fd + 1);
  int control_fd =
      request.jailed ? ::fcntl(fds[ForkRequest::kDescriptors + 1], F_DUPFD_CLOEXEC, signals_fd + 1)
                     : signals_fd;
  close_all_but(report_fd, signals_fd, control_fd);
  if (request.jailed && !give_up_rights()) {
    problem->say("take away its keeper's rights", "", errno);
    ::kill(worker, SIGKILL);
  }
  KeeperReport report = keep(worker, in_namespace, signals_fd, request.jailed ? control_fd : -1);
  std::memcpy(report.problem, problem->text, sizeof report.problem);
  leave(report_fd, report);
}

}  // namespace

int count_threads() {
  DIR* tasks = ::opendir("/proc/self/task");
  if (!tasks) return -1;
  int threads = 0;
  while (dirent* entry = ::readdir(tasks))
    if (entry->d_name[0] != '.') ++threads;
  ::closedir(tasks);
  return threads;
}

void serve_forks(int control_fd, const char* image, const ForkHooks& hooks) {
  char hello[256];
  std::snprintf(hello, sizeof hello, "{\"protocol\":%d,\"image\":\"%s\",\"threads\":%d}",
                wire::kVersion, image, count_threads());
  if (!wire::send(control_fd, wire::frame(hello))) ::_exit(kSetupFailedExit);
  // Tests, and machines where namespaces misbehave, ask for the weaker way by name.
  const char* asked = ::getenv("ASSAY_HOLDING");
  bool weaker = asked && std::strcmp(asked, "subreaper") == 0;
  Holding holding = weaker ? Holding::subreaper : Holding::unknown;
  uid_t uid = ::geteuid();
  gid_t gid = ::getegid();
  while (true) {
    ForkRequest request;
    int fds[ForkRequest::kMaxDescriptors];
    size_t fd_count = 0;
    ssize_t size = wire::receive(control_fd, &request, sizeof request, fds,
                                 ForkRequest::kMaxDescriptors, &fd_count);
    if (size == 0) ::_exit(0);  // assay is done with us, or gone
    if (size != sizeof request || request.magic != ForkRequest::kMagic ||
        fd_count != request.descriptors)
      ::_exit(kSetupFailedExit);
    if (hooks.before) hooks.before();
    bool in_group = false;
    pid_t keeper =
        request.jailed ? clone_jail_keeper(request, fds, &in_group) : clone_keeper(holding);
    if (keeper == 0) {
      run_keeper(request, fds, request.jailed ? holding_of(request.namespaces) : holding, in_group,
                 uid, gid, hooks);
      return;  // the worker
    }
    ForkReply reply{keeper, keeper < 0 ? errno : 0};
    if (hooks.after_in_zygote) hooks.after_in_zygote();
    for (size_t i = 0; i < fd_count; ++i) ::close(fds[i]);
    std::string_view bytes(reinterpret_cast<const char*>(&reply), sizeof reply);
    if (!wire::send(control_fd, bytes)) ::_exit(0);
  }
}

}  // namespace assay::sandbox
