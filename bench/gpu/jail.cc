#include "jail.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "passing.h"
#include "report.h"

namespace assay::gpu {
namespace {

struct NamedCall {
  const char* name;
  int number;
};
#define CALL(name) {#name, SYS_##name}
// src/sandbox/system_calls.cc refuses these at every level, and at its first one the latter, too.
constexpr NamedCall kRefused[] = {
    CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev), CALL(pidfd_getfd), CALL(kcmp),
    CALL(process_madvise), CALL(process_mrelease), CALL(migrate_pages), CALL(move_pages), CALL(bpf),
    CALL(perf_event_open), CALL(userfaultfd), CALL(io_uring_setup), CALL(io_uring_enter),
    CALL(io_uring_register), CALL(fanotify_init), CALL(fanotify_mark), CALL(modify_ldt),
    CALL(memfd_secret), CALL(keyctl), CALL(add_key), CALL(request_key), CALL(mount), CALL(umount2),
    CALL(pivot_root), CALL(chroot), CALL(move_mount), CALL(fsopen), CALL(fsconfig), CALL(fsmount),
    CALL(fspick), CALL(open_tree), CALL(mount_setattr), CALL(unshare), CALL(setns),
    CALL(name_to_handle_at), CALL(open_by_handle_at), CALL(socket), CALL(bind), CALL(connect),
    CALL(listen), CALL(accept), CALL(accept4), CALL(shmget), CALL(shmat), CALL(msgget),
    CALL(semget), CALL(mq_open), CALL(mq_notify), CALL(settimeofday), CALL(clock_settime),
    CALL(clock_adjtime), CALL(adjtimex), CALL(sched_setaffinity), CALL(sched_setscheduler),
    CALL(sched_setparam), CALL(sched_setattr), CALL(setpriority), CALL(ioprio_set),
    CALL(timer_create), CALL(kexec_load), CALL(init_module), CALL(finit_module),
    CALL(delete_module), CALL(reboot), CALL(swapon), CALL(swapoff), CALL(acct), CALL(quotactl),
    CALL(syslog), CALL(vhangup), CALL(iopl), CALL(ioperm), CALL(sethostname), CALL(setdomainname),
    CALL(sync), CALL(syncfs),
    // the first level
    CALL(chmod), CALL(fchmod), CALL(fchmodat), CALL(chown), CALL(fchown), CALL(lchown),
    CALL(fchownat), CALL(setxattr), CALL(lsetxattr), CALL(fsetxattr), CALL(removexattr),
    CALL(utime), CALL(utimes), CALL(utimensat), CALL(truncate), CALL(setsid), CALL(setpgid)};
// Not refused; asked for is of interest.
constexpr NamedCall kNoted[] = {CALL(execve), CALL(memfd_create), CALL(mknod), CALL(mknodat)};
#undef CALL

using Filter = std::vector<sock_filter>;

void on_call(Filter& filter, int number, uint32_t verdict) {
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, verdict));
}

// Where the low word of the first argument is one of these; or, with `otherwise`, none of them.
void on_argument(Filter& filter, int number, const std::vector<uint32_t>& values, bool otherwise) {
  auto count = static_cast<uint8_t>(values.size());
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0,
                            static_cast<uint8_t>(count + 3)));
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
  for (uint8_t i = 0; i < count; ++i) {
    auto to_last = static_cast<uint8_t>(count - 1 - i + (otherwise ? 1 : 0));
    auto past = static_cast<uint8_t>(i + 1 == count ? (otherwise ? 0 : 1) : 0);
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], to_last, past));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

Filter make_filter(const JailOptions& options) {
  Filter filter;
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  if (options.note_paths) {
    on_call(filter, SYS_openat, SECCOMP_RET_USER_NOTIF);
    on_call(filter, SYS_open, SECCOMP_RET_USER_NOTIF);
  } else {
    for (const NamedCall& call : kRefused) on_call(filter, call.number, SECCOMP_RET_USER_NOTIF);
    for (const NamedCall& call : kNoted) on_call(filter, call.number, SECCOMP_RET_USER_NOTIF);
    on_call(filter, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    constexpr uint32_t kSetPtracer = 0x59616d61, kSchedCore = 62;
    on_argument(filter, SYS_prctl,
                {PR_SET_PDEATHSIG, PR_SET_MM, PR_SET_TSC, kSetPtracer, kSchedCore}, false);
    on_argument(filter, SYS_prlimit64, {0}, true);
    on_argument(filter, SYS_personality, {0xffffffff}, true);
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

std::string call_name(int number) {
  for (const NamedCall& call : kRefused)
    if (call.number == number) return call.name;
  for (const NamedCall& call : kNoted)
    if (call.number == number) return call.name;
  if (number == SYS_prctl) return "prctl";
  if (number == SYS_prlimit64) return "prlimit64";
  if (number == SYS_personality) return "personality";
  return "call " + std::to_string(number);
}

bool is_noted(int number) {
  return std::ranges::any_of(kNoted, [&](const NamedCall& call) { return call.number == number; });
}

// "@" is a name that no file has.
std::string socket_name_of(pid_t pid, uint64_t address, uint64_t length) {
  std::string name = "/proc/" + std::to_string(pid) + "/mem";
  int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "?";
  char text[128] = {};
  size_t bytes = std::min<uint64_t>(length, sizeof text - 1);
  ssize_t got = ::pread(file, text, bytes, static_cast<off_t>(address));
  ::close(file);
  if (got <= 2) return "?";
  if (text[2] != 0) return text + 2;
  return "@" + std::string(text + 3, static_cast<size_t>(got) - 3);
}

std::string path_of(pid_t pid, uint64_t address) {
  std::string name = "/proc/" + std::to_string(pid) + "/mem";
  int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "?";
  char text[PATH_MAX] = {};
  ssize_t got = ::pread(file, text, sizeof text - 1, static_cast<off_t>(address));
  ::close(file);
  return got > 0 ? std::string(text) : "?";
}

// ---- in the child, between clone and exec: what fails is told over a pipe

int problem_pipe = -1;

[[noreturn]] void give_up(const std::string& what) {
  std::string text = what + ": " + std::strerror(errno);
  if (::write(problem_pipe, text.data(), text.size()) < 0) ::_exit(126);
  ::_exit(125);
}

void make_folders(const std::string& path) {
  for (size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) give_up("mkdir " + part);
    if (at != std::string::npos) ++at;
  }
}

void bind(const std::string& from, const std::string& to, bool read_only) {
  struct stat info{};
  if (::stat(from.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    make_folders(to);
  } else {
    make_folders(to.substr(0, to.rfind('/')));
    int file = ::open(to.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (file < 0 && errno != EEXIST) give_up("create " + to);
    if (file >= 0) ::close(file);
  }
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
    give_up("bind " + from);
  if (!read_only) return;
  struct statvfs flags{};
  if (::statvfs(to.c_str(), &flags) != 0) give_up("statvfs " + to);
  unsigned long keep = MS_RDONLY;
  if (flags.f_flag & ST_NOSUID) keep |= MS_NOSUID;
  if (flags.f_flag & ST_NODEV) keep |= MS_NODEV;
  if (flags.f_flag & ST_NOEXEC) keep |= MS_NOEXEC;
  if (flags.f_flag & ST_NOATIME) keep |= MS_NOATIME;
  if (flags.f_flag & ST_RELATIME) keep |= MS_RELATIME;
  if (::mount(nullptr, to.c_str(), nullptr, MS_REMOUNT | MS_BIND | keep, nullptr) != 0)
    give_up("make read-only " + to);
}

void enter_root(const JailOptions& options, const std::string& root) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private mounts");
  if (::mount("tmpfs", root.c_str(), "tmpfs", MS_NOSUID, "mode=755") != 0) give_up("mount a tmpfs");
  for (const std::string& path : options.read_only) bind(path, root + path, true);
  for (const std::string& path : options.devices) bind(path, root + path, false);
  make_folders(root + "/tmp");
  make_folders(root + "/dev/shm");
  if (::chmod((root + "/tmp").c_str(), 01777) != 0) give_up("chmod /tmp");
  if (::chmod((root + "/dev/shm").c_str(), 01777) != 0) give_up("chmod /dev/shm");
  if (options.proc) {
    make_folders(root + "/proc");
    if (::mount("proc", (root + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                options.proc_of_tasks ? "subset=pid" : nullptr) != 0)
      give_up("mount proc");
  }
  if (options.sys) bind("/sys", root + "/sys", false);
  std::string old = root + "/old";
  make_folders(old);
  if (::syscall(SYS_pivot_root, root.c_str(), old.c_str()) != 0) give_up("pivot_root");
  if (::chdir("/") != 0) give_up("chdir");
  if (::umount2("/old", MNT_DETACH) != 0) give_up("umount the old root");
}

void drop_capabilities() {
  for (int capability = 0; capability <= 63; ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EPERM)
      give_up("drop a capability");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0) give_up("drop capabilities");
}

[[noreturn]] void run_child(const JailOptions& options, const std::vector<std::string>& arguments,
                            const std::vector<int>& descriptors, int output,
                            const std::string& root, int wait_for_maps, int listener_channel) {
  char byte = 0;
  while (::read(wait_for_maps, &byte, 1) < 0 && errno == EINTR) {
  }
  if (options.user_namespace) {
    // Root of the namespace, who is nobody outside.
    if (::setgroups(0, nullptr) != 0) give_up("setgroups");
    if (::setresgid(0, 0, 0) != 0) give_up("setresgid");
    if (::setresuid(0, 0, 0) != 0) give_up("setresuid");
  }
  if (options.namespaces) enter_root(options, root);
  if (options.drop_user && !options.user_namespace) {
    if (options.no_capabilities) {
      for (int capability = 0; capability <= 63; ++capability)
        ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    if (::setgroups(0, nullptr) != 0) give_up("setgroups");
    if (::setresgid(65534, 65534, 65534) != 0) give_up("setresgid");
    if (::setresuid(65534, 65534, 65534) != 0) give_up("setresuid");
  }
  if (options.become_user) {
    if (::setresgid(1000, 1000, 1000) != 0) give_up("setresgid");
    if (::setresuid(1000, 1000, 1000) != 0) give_up("setresuid");
  } else if (options.no_capabilities && !options.drop_user) {
    drop_capabilities();
  }
  // Descriptors to their places, from places where none of them is in the way.
  std::vector<int> high;
  for (int descriptor : descriptors) {
    int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
    if (moved < 0) give_up("move a descriptor");
    high.push_back(moved);
  }
  int pipe_end = ::fcntl(problem_pipe, F_DUPFD_CLOEXEC, 200);
  int channel = listener_channel < 0 ? -1 : ::fcntl(listener_channel, F_DUPFD_CLOEXEC, 200);
  int standard_output = output < 0 ? -1 : ::fcntl(output, F_DUPFD_CLOEXEC, 200);
  problem_pipe = pipe_end;
  if (standard_output >= 0 && ::dup2(standard_output, 1) < 0) give_up("dup2");
  for (size_t i = 0; i < high.size(); ++i)
    if (::dup2(high[i], static_cast<int>(3 + i)) < 0) give_up("dup2");
  ::syscall(SYS_close_range, static_cast<unsigned>(3 + high.size()), 199u, 0u);

  // Nobody is left behind on the card.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up("prctl");
  if (options.no_capabilities || options.filter || options.note_paths)
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
  if (options.filter || options.note_paths) {
    Filter filter = make_filter(options);
    sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    auto listener = static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                               SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
    if (listener < 0) give_up("install a filter");
    if (!send_descriptor(channel, listener)) give_up("send the filter's listener");
    ::close(listener);
  }
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  give_up("exec " + arguments[0]);
}

bool write_file(const std::string& path, const std::string& text) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return written;
}

}  // namespace

struct Jailed::Watch {
  int listener = -1;
  std::map<std::string, int> answers;
  std::atomic<bool> over{false};
  Seen seen;
  std::thread thread;

  ~Watch() { stop(); }
  void stop() {
    over = true;
    if (thread.joinable()) thread.join();
    if (listener >= 0) ::close(listener);
    listener = -1;
  }
  void run() {
    while (!over) {
      pollfd waiting{listener, POLLIN, 0};
      if (::poll(&waiting, 1, 50) <= 0) continue;
      if (!(waiting.revents & POLLIN)) return;
      seccomp_notif request{};
      if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) continue;
      seccomp_notif_resp answer{};
      answer.id = request.id;
      int number = request.data.nr;
      if (number == SYS_openat || number == SYS_open) {
        auto pid = static_cast<pid_t>(request.pid);
        ++seen.paths[path_of(pid, request.data.args[number == SYS_open ? 0 : 1])];
        answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      } else if (is_noted(number)) {
        ++seen.allowed[call_name(number)];
        answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      } else {
        std::string name = call_name(number);
        auto other = answers.find(name);
        if (other == answers.end()) other = answers.find("*");
        int error_number = other == answers.end() ? EPERM : other->second;
        if (number == SYS_prctl || number == SYS_socket)
          name += "(" + std::to_string(request.data.args[0]) + ")";
        if (number == SYS_bind || number == SYS_connect)
          name += "(" +
                  socket_name_of(static_cast<pid_t>(request.pid), request.data.args[1],
                                 request.data.args[2]) +
                  ")";
        if (error_number == 0) {
          ++seen.allowed[name];
          answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        } else {
          ++seen.refused[name];
          answer.error = -error_number;
        }
      }
      // Whoever asked may be gone.
      if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 && errno != ENOENT) return;
    }
  }
};

Seen Jailed::seen() {
  if (!watch_) return {};
  watch_->stop();
  if (!root_.empty()) ::rmdir(root_.c_str());
  return watch_->seen;
}

Jailed Jailed::start(const JailOptions& options, const std::vector<std::string>& arguments,
                     const std::vector<int>& descriptors, int output) {
  Jailed jailed;
  char folder[] = "/tmp/assay-gpu-XXXXXX";
  if (options.namespaces) {
    if (!::mkdtemp(folder)) die("mkdtemp: %s", std::strerror(errno));
    if (::chmod(folder, 0755) != 0) die("chmod: %s", std::strerror(errno));
    jailed.root_ = folder;
  }
  int problems[2], maps[2], channel[2] = {-1, -1};
  if (::pipe2(problems, O_CLOEXEC) != 0 || ::pipe2(maps, O_CLOEXEC) != 0)
    die("pipe: %s", std::strerror(errno));
  if ((options.filter || options.note_paths) &&
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    die("socketpair: %s", std::strerror(errno));
  unsigned long flags = 0;
  if (options.namespaces)
    flags |= CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  if (options.user_namespace) flags |= CLONE_NEWUSER;
  // fork makes memory usable in a process that had threads; clone from there has our child.
  int numbers[2];
  if (::pipe2(numbers, O_CLOEXEC) != 0) die("pipe: %s", std::strerror(errno));
  pid_t between = ::fork();
  if (between < 0) die("fork: %s", std::strerror(errno));
  if (between == 0) {
    problem_pipe = problems[1];
    auto pid = static_cast<pid_t>(
        ::syscall(SYS_clone, flags | CLONE_PARENT, nullptr, nullptr, nullptr, nullptr));
    if (pid == 0) {
      ::close(maps[1]);
      run_child(options, arguments, descriptors, output, jailed.root_, maps[0], channel[1]);
    }
    if (pid < 0) give_up("clone");
    ::_exit(::write(numbers[1], &pid, sizeof pid) == sizeof pid ? 0 : 1);
  }
  ::close(numbers[1]);
  pid_t pid = -1;
  ssize_t told = ::read(numbers[0], &pid, sizeof pid);
  ::close(numbers[0]);
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  jailed.pid_ = pid;
  ::close(problems[1]);
  ::close(maps[0]);
  if (channel[1] >= 0) ::close(channel[1]);
  std::string process = "/proc/" + std::to_string(pid);
  if (told == sizeof pid && options.user_namespace) {
    // Its root is nobody out here.
    if (!write_file(process + "/gid_map", "0 65534 1\n1000 65533 1") ||
        !write_file(process + "/uid_map", "0 65534 1\n1000 65533 1"))
      jailed.problem_ = std::string("map users: ") + std::strerror(errno);
  }
  if (!options.cgroup.empty() && !write_file(options.cgroup + "/cgroup.procs", std::to_string(pid)))
    jailed.problem_ = std::string("enter the cgroup: ") + std::strerror(errno);
  ::close(maps[1]);
  if (channel[0] >= 0) {
    jailed.watch_ = std::make_shared<Watch>();
    jailed.watch_->answers = options.answers;
    jailed.watch_->listener = receive_descriptor(channel[0]);
    ::close(channel[0]);
    if (jailed.watch_->listener >= 0) {
      Watch* watch = jailed.watch_.get();
      watch->thread = std::thread([watch] { watch->run(); });
    }
  }
  char text[512];
  ssize_t got = ::read(problems[0], text, sizeof text);  // ends with exec
  ::close(problems[0]);
  if (got > 0) jailed.problem_ = std::string(text, static_cast<size_t>(got));
  return jailed;
}

std::vector<std::string> folders_of_cuda() {
  std::set<std::string> folders = {"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib64",
                                   "/opt",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d",
                                   "/etc/alternatives"};
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) > 0) {
    std::string path = self;
    folders.insert(path.substr(0, path.rfind('/')));
  }
  for (const char* name : {"libcuda.so.1", "libnvidia-ml.so.1"}) {
    void* library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    void* symbol =
        library ? ::dlsym(library, std::strstr(name, "ml") ? "nvmlInit_v2" : "cuInit") : nullptr;
    Dl_info info{};
    char real[PATH_MAX];
    if (symbol && ::dladdr(symbol, &info) != 0 && ::realpath(info.dli_fname, real)) {
      std::string path = real;
      folders.insert(path.substr(0, path.rfind('/')));
    }
  }
  if (const char* more = ::getenv("GPU_PROBE_FOLDERS")) {
    std::string list = more;
    for (size_t at = 0; at < list.size();) {
      size_t end = std::min(list.find(':', at), list.size());
      if (end > at) folders.insert(list.substr(at, end - at));
      at = end + 1;
    }
  }
  // A folder within another one comes along with that.
  std::vector<std::string> chosen;
  for (const std::string& folder : folders)
    if (std::ranges::none_of(folders, [&](const std::string& other) {
          return other != folder && folder.starts_with(other + "/");
        }))
      chosen.push_back(folder);
  return chosen;
}

std::string make_cgroup(const std::string& name, std::string& why) {
  struct stat info{};
  const std::string top = "/sys/fs/cgroup";
  if (::stat((top + "/cgroup.controllers").c_str(), &info) != 0) {
    why = "no cgroup2 at /sys/fs/cgroup";
    return "";
  }
  std::string path = top + "/" + name;
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    why = std::string("mkdir: ") + std::strerror(errno);
    return "";
  }
  return path;
}

std::vector<std::string> nodes_of_cards() {
  std::vector<std::string> nodes;
  if (DIR* folder = ::opendir("/dev")) {
    while (dirent* entry = ::readdir(folder)) {
      std::string name = entry->d_name;
      if (name.starts_with("nvidia")) nodes.push_back("/dev/" + name);
    }
    ::closedir(folder);
  }
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace assay::gpu
