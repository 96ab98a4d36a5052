#include "sandbox/process_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace assay::sandbox {
namespace {

constexpr int64_t kPatienceNs = 1'000'000'000;

int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A small file of /proc, as it is at this moment. Empty where its process is gone.
std::string read_small(const std::string& path) {
  char bytes[4096];
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  ssize_t size = ::read(fd, bytes, sizeof bytes);
  ::close(fd);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
}

std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> found;
  DIR* entries = ::opendir(folder.c_str());
  if (!entries) return found;
  while (dirent* entry = ::readdir(entries))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      found.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  ::closedir(entries);
  return found;
}

std::string process_folder(pid_t pid) { return "/proc/" + std::to_string(pid); }

void add_children(pid_t pid, std::vector<pid_t>& found) {
  std::string tasks = process_folder(pid) + "/task/";
  for (pid_t thread : numbers_in(tasks)) {
    std::string text = read_small(tasks + std::to_string(thread) + "/children");
    char* at = text.data();
    while (true) {
      char* end = nullptr;
      long child = std::strtol(at, &end, 10);
      if (end == at) break;
      found.push_back(static_cast<pid_t>(child));
      at = end;
    }
  }
}

// All processes below us. In a namespace: all but us that /proc shows, since it shows no others.
std::vector<pid_t> all_below(bool in_namespace) {
  std::vector<pid_t> found;
  if (in_namespace) {
    found = numbers_in("/proc");
    std::erase(found, ::getpid());
    return found;
  }
  add_children(::getpid(), found);
  for (size_t i = 0; i < found.size(); ++i) add_children(found[i], found);
  return found;
}

// 'R', 'S', 'T'...; 'X' for a thread that is gone. The name before it may hold anything.
char state_of(const std::string& stat) {
  size_t end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() ? 'X' : stat[end + 2];
}

bool has_stopped(pid_t pid) {
  std::string tasks = process_folder(pid) + "/task/";
  for (pid_t thread : numbers_in(tasks)) {
    std::string folder = tasks + std::to_string(thread);
    char state = state_of(read_small(folder + "/stat"));
    if (state == 'T' || state == 't' || state == 'Z' || state == 'X') continue;
    // A thread that waits for the child of its vfork() sees no signal until that has gone on.
    if (state == 'D' && !read_small(folder + "/children").empty()) continue;
    return false;
  }
  return true;
}

}  // namespace

bool stop_all(const ProcessGroup& group) {
  const int64_t until_ns = now_ns() + kPatienceNs;
  // One call reaches all of them, and those that are being forked.
  const pid_t all_of_it = group.in_namespace ? -1 : -group.worker;
  bool sent = ::kill(all_of_it, SIGSTOP) == 0;
  // Without a namespace one clean look may have missed what was orphaned meanwhile.
  const int needed = group.in_namespace ? 1 : 2;
  int clean = 0;
  while (clean < needed) {
    bool all = true;
    for (pid_t pid : all_below(group.in_namespace)) all = all && has_stopped(pid);
    clean = all ? clean + 1 : 0;
    // A worker that has only just been forked is in no group of its own yet.
    if (!all && !sent) sent = ::kill(all_of_it, SIGSTOP) == 0;
    if (!all && now_ns() > until_ns) return false;
  }
  return true;
}

void continue_all(const ProcessGroup& group) {
  ::kill(group.in_namespace ? -1 : -group.worker, SIGCONT);
}

int64_t cpu_ns_of_all(bool in_namespace) {
  static const int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  int64_t total = 0;
  for (pid_t pid : all_below(in_namespace)) {
    timespec used{};
    clockid_t clock = 0;
    if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
      total += int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    std::string stat = read_small(process_folder(pid) + "/stat");
    size_t end = stat.rfind(')');
    long long user = 0, system = 0;  // of children it has waited for: fields 16 and 17
    if (end != std::string::npos &&
        std::sscanf(stat.c_str() + end + 1,
                    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lld %lld", &user,
                    &system) == 2)
      total += (user + system) * tick_ns;
  }
  return total;
}

}  // namespace assay::sandbox
