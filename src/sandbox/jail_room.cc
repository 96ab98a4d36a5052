// The keeper's half of entering a jail: control groups and mounts.
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sandbox/jail_enter.h"

// Newer than some C libraries' headers.
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

namespace assay::sandbox {
namespace {

constexpr int kRecursive = 0x8000;  // AT_RECURSIVE
constexpr uint64_t kReadOnly = 0x1, kNoSetUser = 0x2, kNoDevices = 0x4, kNoExec = 0x8;

struct MountAttributes {
  uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};

bool restrict_mount(const char* path, uint64_t attributes, int flags) {
  MountAttributes wanted{attributes, 0, 0, 0};
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &wanted, sizeof wanted) == 0;
}

// mkdir -p; what exists is fine, so also where a folder lies in an earlier, read-only one.
bool make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    std::string part = path.substr(0, at);
    struct stat info{};
    if (::mkdir(part.c_str(), 0755) != 0) {
      int number = errno;
      if (::stat(part.c_str(), &info) != 0) {
        errno = number;
        return false;
      }
    }
    if (at == std::string::npos) return true;
  }
}

bool make_file(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash > 0 && !make_folders(path.substr(0, slash))) return false;
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
  if (fd >= 0) ::close(fd);
  return fd >= 0 || ::access(path.c_str(), F_OK) == 0;
}

// Shows `source` in the new root under the same path.
bool bind_in(const std::string& root, const char* source, bool folder, uint64_t attributes,
             JailProblem& problem) {
  std::string target = root + source;
  if (!(folder ? make_folders(target) : make_file(target)))
    return problem.say("make a place in the jail for", source, errno);
  if (::mount(source, target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
    return problem.say("show in the jail", source, errno);
  if (!restrict_mount(target.c_str(), attributes, kRecursive))
    return problem.say("make read-only in the jail", source, errno);
  return true;
}

bool link(const std::string& root, const Jail::Mount& entry, JailProblem& problem) {
  std::string path = root + entry.path;
  size_t slash = path.rfind('/');
  if (!make_folders(path.substr(0, slash)))
    return problem.say("make a place in the jail for", entry.path, errno);
  if (::symlink(entry.target, path.c_str()) != 0 && errno != EEXIST)
    return problem.say("make a link in the jail", entry.path, errno);
  return true;
}

bool temporary(const std::string& path, uint64_t bytes, uint64_t flags, const char* mode,
               JailProblem& problem) {
  char options[96];
  // 16 KiB for each file: enough for any build, and kernel memory stays bounded.
  std::snprintf(options, sizeof options, "mode=%s,size=%llu,nr_inodes=%llu", mode,
                static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(bytes / 16384 + 64));
  if (!make_folders(path)) return problem.say("make the folder", path.c_str(), errno);
  if (::mount("tmpfs", path.c_str(), "tmpfs", flags, options) != 0)
    return problem.say("mount a tmpfs on", path.c_str(), errno);
  return true;
}

bool make_root(const Jail& jail, const char* scratch, JailProblem& problem) {
  // Nothing of what follows may be seen outside, or the other way round.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return problem.say("keep mounts to itself", "", errno);
  std::string root = scratch;
  if (!temporary(root, 1 << 20, MS_NOSUID | MS_NODEV, "755", problem)) return false;
  // First, since what is shown may lie below /tmp.
  uint64_t bytes = jail.layout.disk_bytes > 0 ? jail.layout.disk_bytes : uint64_t{1} << 40;
  for (const char* folder : {"/tmp", "/dev/shm"})
    if (!temporary(root + folder, bytes, MS_NOSUID | MS_NODEV, "1777", problem)) return false;
  for (const Jail::Mount& entry : jail.mounts()) {
    // A device's node is no more than read, and is a device.
    const uint64_t not_for = entry.kind == 'v' ? kNoExec : kNoDevices;
    bool done = entry.kind == 'l' ? link(root, entry, problem)
                                  : bind_in(root, entry.path, entry.kind == 'd',
                                            kReadOnly | kNoSetUser | not_for, problem);
    if (!done) return false;
  }
  for (const char* device : {"/dev/null", "/dev/urandom"})
    if (!bind_in(root, device, false, kReadOnly | kNoSetUser | kNoExec, problem)) return false;
  std::string proc = root + "/proc";
  if (!make_folders(proc) ||
      ::mount("proc", proc.c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return problem.say("mount /proc of its own", "", errno);
  // The old root is put on top of the new one, then let go: no folder is needed for it.
  if (::chdir(root.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0)
    return problem.say("change its root folder", "", errno);
  if (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
    return problem.say("let go of the old root folder", "", errno);
  if (!restrict_mount("/", kReadOnly, 0))
    return problem.say("make its root folder read-only", "", errno);
  return true;
}

// The one interface of a fresh network is down, and nobody can connect to anybody.
bool raise_loopback(JailProblem& problem) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return problem.say("make a socket", "", errno);
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  const bool is_up = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  const int number = errno;
  ::close(fd);
  return is_up || problem.say("have a network of its own", "", number);
}

void write_file(const char* path, const char* text) {
  int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] ssize_t written = ::write(fd, text, std::strlen(text));
  ::close(fd);
}

// Our pid as everybody outside sees it: the /proc that is mounted here is theirs.
long outer_pid() {
  char text[32] = {};
  ssize_t size = ::readlink("/proc/self", text, sizeof text - 1);
  return size > 0 ? std::strtol(text, nullptr, 10) : 0;
}

}  // namespace

bool JailProblem::say(const char* step, const char* detail, int number) {
  std::snprintf(text, sizeof text, "cannot %s%s%s: %s", step, *detail ? " " : "", detail,
                std::strerror(number));
  return false;
}

void map_own_ids(uid_t uid, gid_t gid) {
  char line[64];
  write_file("/proc/self/setgroups", "deny");
  std::snprintf(line, sizeof line, "%u %u 1", uid, uid);
  write_file("/proc/self/uid_map", line);
  std::snprintf(line, sizeof line, "%u %u 1", gid, gid);
  write_file("/proc/self/gid_map", line);
}

std::vector<Jail::Mount> Jail::mounts() const {
  std::vector<Mount> found;
  const char* at = strings.c_str();
  for (uint32_t i = 0; i < layout.mount_count; ++i) {
    Mount entry{at[0], at + 1, nullptr};
    at += std::strlen(at) + 1;
    if (entry.kind == 'l') {
      entry.target = at;
      at += std::strlen(at) + 1;
    }
    found.push_back(entry);
  }
  return found;
}

std::vector<const char*> Jail::environment() const {
  std::vector<const char*> found;
  const char* at = strings.c_str();
  for (const Mount& entry : mounts()) {
    const char* last = entry.target ? entry.target : entry.path;
    at = last + std::strlen(last) + 1;
  }
  for (uint32_t i = 0; i < layout.environment_count; ++i) {
    found.push_back(at);
    at += std::strlen(at) + 1;
  }
  return found;
}

bool read_jail(int fd, Jail& jail, JailProblem& problem) {
  const auto header = static_cast<ssize_t>(sizeof jail.layout);
  if (::pread(fd, &jail.layout, sizeof jail.layout, 0) != header ||
      jail.layout.magic != JailLayout::kMagic || jail.layout.version != JailLayout::kVersion)
    return problem.say("read the layout of the jail", "", EINVAL);
  jail.filter.resize(jail.layout.filter_count);
  jail.strings.resize(jail.layout.string_bytes);
  const auto filter_bytes = static_cast<ssize_t>(jail.filter.size() * sizeof(uint64_t));
  if (::pread(fd, jail.filter.data(), static_cast<size_t>(filter_bytes), header) != filter_bytes ||
      ::pread(fd, jail.strings.data(), jail.strings.size(), header + filter_bytes) !=
          static_cast<ssize_t>(jail.strings.size()))
    return problem.say("read the layout of the jail", "", EIO);
  return true;
}

bool make_room(Jail& jail, int scratch, const int* groups, size_t group_count,
               JailProblem& problem) {
  for (size_t i = 0; i < group_count; ++i)
    if (::write(groups[i], "0", 1) != 1) return problem.say("join its control group", "", errno);
  if (jail.layout.drop_user) {
    long pid = outer_pid();
    if (pid <= 0) return problem.say("find its process number in /proc", "", ENOENT);
    jail.user = kFirstUser + static_cast<uid_t>(pid);
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (unsigned cpu = 0; cpu < JailLayout::kCpuWords * 64 && cpu < CPU_SETSIZE; ++cpu)
    if (jail.layout.cpus[cpu / 64] >> cpu % 64 & 1) CPU_SET(cpu, &cpus);
  if (CPU_COUNT(&cpus) > 0 && ::sched_setaffinity(0, sizeof cpus, &cpus) != 0)
    return problem.say("keep to its CPUs", "", errno);
  if (!jail.layout.own_mounts) {
    if (jail.user != 0 && ::fchown(scratch, jail.user, jail.user) != 0)
      return problem.say("give it its scratch folder", "", errno);
    return true;
  }
  if (jail.layout.has_loopback && !raise_loopback(problem)) return false;
  char path[4096];
  if (::fchdir(scratch) != 0 || !::getcwd(path, sizeof path))
    return problem.say("find its scratch folder", "", errno);
  return make_root(jail, path, problem);
}

}  // namespace assay::sandbox
