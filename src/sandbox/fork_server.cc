#include "sandbox/fork_server.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

void write_file(const char* path, const char* text) {
  int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] ssize_t written = ::write(fd, text, std::strlen(text));
  ::close(fd);
}

// In a fresh user namespace every file would seem to belong to nobody: map ourselves to ourselves.
// Where a security module forbids it, only the names of users look odd in there; access stays.
void map_own_ids(uid_t uid, gid_t gid) {
  char line[64];
  write_file("/proc/self/setgroups", "deny");
  std::snprintf(line, sizeof line, "%u %u 1", uid, uid);
  write_file("/proc/self/uid_map", line);
  std::snprintf(line, sizeof line, "%u %u 1", gid, gid);
  write_file("/proc/self/gid_map", line);
}

void set_limit(int resource, uint64_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
  limit.rlim_max = limit.rlim_cur;
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

uint64_t mapped_bytes() {
  unsigned long pages = 0;
  FILE* statm = std::fopen("/proc/self/statm", "re");
  if (statm) {
    if (std::fscanf(statm, "%lu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  return uint64_t{pages} * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void set_limits(const ForkRequest& request) {
  set_limit(RLIMIT_CORE, 0);
  if (request.file_bytes > 0) set_limit(RLIMIT_FSIZE, request.file_bytes);
  if (request.memory_bytes > 0) set_limit(RLIMIT_AS, mapped_bytes() + request.memory_bytes);
}

// Should the kernel have to end a process for memory, then this one and not assay or the user's.
void be_first_to_go() {
  FILE* score = std::fopen("/proc/self/oom_score_adj", "we");
  if (!score) return;
  std::fputs("800", score);
  std::fclose(score);
}

// Runs in the worker. Everything above the socket belongs to assay or to other jobs: closed.
bool enter_worker(const ForkRequest& request, const int* fds, const sigset_t& mask) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with its keeper, should that be killed
  ::setsid();
  if (::fchdir(fds[3]) != 0) return false;
  int output = ::fcntl(fds[1], F_DUPFD_CLOEXEC, 64);
  int channel = ::fcntl(fds[0], F_DUPFD_CLOEXEC, 64);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (output < 0 || channel < 0 || null < 0) return false;
  if (::dup2(null, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) return false;
  // Close-on-exec: what the worker starts must not be able to answer for it.
  if (::dup3(channel, wire::kChannelFd, O_CLOEXEC) < 0) return false;
  ::syscall(SYS_close_range, wire::kChannelFd + 1, ~0u, 0);
  char scratch[4096];
  if (::getcwd(scratch, sizeof scratch)) ::setenv("TMPDIR", scratch, 1);
  set_limits(request);
  be_first_to_go();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  char hello[64];
  std::snprintf(hello, sizeof hello, "{\"protocol\":%d,\"worker\":true}", wire::kVersion);
  return wire::send(wire::kChannelFd, wire::frame(hello));
}

// Kills every direct child. What those leave behind comes to us next and is killed in its turn.
void kill_children(bool in_namespace) {
  if (in_namespace) {
    ::kill(-1, SIGKILL);  // as pid 1 this reaches exactly our namespace
    return;
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/children", ::syscall(SYS_gettid));
  FILE* children = std::fopen(path, "re");
  if (!children) return;
  int pid = 0;
  while (std::fscanf(children, "%d", &pid) == 1) ::kill(pid, SIGKILL);
  std::fclose(children);
}

// Waits until no descendant is left. SIGCHLD and SIGTERM are blocked by the caller.
KeeperReport keep(pid_t worker, bool in_namespace) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  KeeperReport report;
  report.in_namespace = in_namespace ? 1 : 0;
  bool worker_ended = false;
  while (true) {
    int status = 0;
    rusage ignored{};
    pid_t ended = ::wait4(-1, &status, WNOHANG, &ignored);
    if (ended == worker) {
      report.wait_status = status;
      worker_ended = true;
      kill_children(in_namespace);
      continue;
    }
    if (ended > 0) {
      if (worker_ended) {
        ++report.strays;
        kill_children(in_namespace);
      }
      continue;
    }
    if (ended < 0 && errno == ECHILD) break;
    // Some are still running. The timeout only matters where a killed process's own children
    // reach us without a signal of their own.
    timespec patience{0, 20'000'000};
    int signal = ::sigtimedwait(&awaited, nullptr, worker_ended ? &patience : nullptr);
    if (signal == SIGTERM || worker_ended) kill_children(in_namespace);
  }
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  auto ns = [](const timeval& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_usec * 1'000; };
  report.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
  report.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  return report;
}

// Runs in the keeper. Returns only in the worker.
void run_keeper(const ForkRequest& request, const int* fds, Holding holding, uid_t uid, gid_t gid,
                const ForkHooks& hooks) {
  bool in_namespace = holding != Holding::subreaper;
  ::prctl(PR_SET_PDEATHSIG, in_namespace ? SIGKILL : SIGTERM);
  ::prctl(PR_SET_NAME, "assay-keeper");
  if (holding == Holding::user_and_pid_namespace) map_own_ids(uid, gid);
  if (!in_namespace) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();
  sigset_t blocked, inherited;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &inherited);
  // The C library's fork, not a raw clone: the worker is a full process of the host language.
  pid_t worker = ::fork();
  if (worker < 0) ::_exit(kSetupFailedExit);
  if (worker == 0) {
    if (!enter_worker(request, fds, inherited)) ::_exit(kSetupFailedExit);
    ::prctl(PR_SET_NAME, "assay-worker");
    if (hooks.after_in_worker) hooks.after_in_worker();
    return;
  }
  ::prctl(PR_SET_DUMPABLE, 0);
  int report_fd = ::fcntl(fds[2], F_DUPFD_CLOEXEC, 64);
  ::syscall(SYS_close_range, 0, static_cast<unsigned>(report_fd - 1), 0);
  ::syscall(SYS_close_range, static_cast<unsigned>(report_fd + 1), ~0u, 0);
  KeeperReport report = keep(worker, in_namespace);
  bool reported = ::write(report_fd, &report, sizeof report) == sizeof report;
  ::_exit(reported ? 0 : kSetupFailedExit);
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
    int fds[ForkRequest::kDescriptors];
    size_t fd_count = 0;
    ssize_t size = wire::receive(control_fd, &request, sizeof request, fds,
                                 ForkRequest::kDescriptors, &fd_count);
    if (size == 0) ::_exit(0);  // assay is done with us, or gone
    if (size != sizeof request || request.magic != ForkRequest::kMagic ||
        fd_count != ForkRequest::kDescriptors)
      ::_exit(kSetupFailedExit);
    if (hooks.before) hooks.before();
    pid_t keeper = clone_keeper(holding);
    if (keeper == 0) {
      run_keeper(request, fds, holding, uid, gid, hooks);
      return;  // the worker
    }
    ForkReply reply{keeper, keeper < 0 ? errno : 0};
    if (hooks.after_in_zygote) hooks.after_in_zygote();
    for (int fd : fds) ::close(fd);
    std::string_view bytes(reinterpret_cast<const char*>(&reply), sizeof reply);
    if (!wire::send(control_fd, bytes)) ::_exit(0);
  }
}

}  // namespace assay::sandbox
