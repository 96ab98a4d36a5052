#include "sandbox/keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "sandbox/process_group.h"

namespace assay::sandbox {
namespace {

int64_t ns(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1'000;
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

// Does what assay asks for. False when assay has closed its end.
bool obey(int control, const ProcessGroup& group) {
  KeeperCommand command;
  ssize_t size = ::recv(control, &command, sizeof command, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (size != sizeof command) return false;
  KeeperAnswer answer;
  switch (command.what) {
    case KeeperCommand::kStop:
      answer.done = stop_all(group) ? 1 : 0;
      break;
    case KeeperCommand::kContinue:
      continue_all(group);
      answer.done = 1;
      break;
    default:
      answer.done = 1;
      break;
  }
  rusage gone{};
  ::getrusage(RUSAGE_CHILDREN, &gone);
  answer.cpu_ns = ns(gone.ru_utime) + ns(gone.ru_stime) + cpu_ns_of_all(group.in_namespace);
  return ::send(control, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

}  // namespace

int watch_signals(sigset_t* inherited) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &watched, inherited);
  return ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

KeeperReport keep(pid_t worker, bool in_namespace, int signals, int control) {
  // A child that is only stopped is no news.
  struct sigaction quiet{};
  quiet.sa_handler = SIG_DFL;
  quiet.sa_flags = SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &quiet, nullptr);
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
    pollfd watched[] = {{signals, POLLIN, 0}, {control, POLLIN, 0}};
    ::poll(watched, 2, worker_ended ? 20 : -1);
    bool asked_to_end = false;
    signalfd_siginfo info;
    while (::read(signals, &info, sizeof info) == sizeof info)
      if (info.ssi_signo == SIGTERM) asked_to_end = true;
    if (watched[1].revents != 0 && !obey(control, {in_namespace, worker})) control = -1;
    if (asked_to_end || worker_ended) kill_children(in_namespace);
  }
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  report.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
  report.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  return report;
}

}  // namespace assay::sandbox
