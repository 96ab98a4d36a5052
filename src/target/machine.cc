#include "target/machine.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/interruptions.h"
#include "base/places.h"
#include "base/unique_fd.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// More than any program that is asked a question answers.
constexpr size_t kMaxOutputBytes = 1 << 20;

std::vector<std::string> parts_of(const std::string& list, char separator) {
  std::vector<std::string> parts;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_program(const std::string& path) {
  std::error_code failed;
  return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, failed);
}

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

enum class Drained { ended, timed_out, interrupted };

// Reads both pipes until they close and the process ended, or has to. `interruption` can be read
// once assay is to end.
Drained drain(Pipe& output, Pipe& errors, pid_t pid, int interruption, ProgramResult& result,
              int64_t timeout_ns) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + std::chrono::nanoseconds(timeout_ns);
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd polled[4] = {{output.read.get(), POLLIN, 0},
                      {errors.read.get(), POLLIN, 0},
                      {process.get(), POLLIN, 0},
                      {interruption, POLLIN, 0}};
  std::string* texts[2] = {&result.output, &result.errors};
  while (polled[0].fd >= 0 || polled[1].fd >= 0 || polled[2].fd >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Drained::timed_out;
    int ready = ::poll(polled, 4, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return Drained::timed_out;
    if (ready > 0 && polled[3].revents != 0) return Drained::interrupted;
    if (ready > 0 && polled[2].revents != 0) polled[2].fd = -1;
    for (int i = 0; i < 2 && ready > 0; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      char buffer[65536];
      ssize_t count = ::read(polled[i].fd, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0)
        polled[i].fd = -1;  // poll() leaves negative ones out
      else if (texts[i]->size() < kMaxOutputBytes)
        texts[i]->append(buffer, static_cast<size_t>(count));
    }
  }
  return Drained::ended;
}

class ThisMachine final : public Machine {
 public:
  std::string system() const override { return names().sysname; }
  std::string architecture() const override { return names().machine; }
  const Disk& disk() const override { return system_disk(); }

  std::string find_program(const std::string& name) const override {
    if (name.contains('/')) return is_program(name) ? name : "";
    for (const std::string& folder : parts_of(environment_variable("PATH"), ':')) {
      std::string path = join_path(folder, name);
      if (folder.starts_with('/') && is_program(path)) return path;
    }
    return "";
  }

  std::vector<std::string> library_folders() const override {
    std::vector<std::string> folders = parts_of(environment_variable("LD_LIBRARY_PATH"), ':');
    // What distributions and drivers add: one folder per line.
    constexpr const char* kConfiguration = "/etc/ld.so.conf.d";
    if (auto entries = disk().list(kConfiguration))
      for (const DirectoryEntry& entry : *entries)
        if (auto text = disk().read(join_path(kConfiguration, entry.name)))
          for (const std::string& line : parts_of(*text, '\n'))
            if (line.starts_with('/'))
              folders.push_back(line.substr(0, line.find_first_of(" \t\r")));
    for (const char* folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"})
      folders.emplace_back(folder);
    return folders;
  }

  Result<ProgramResult> run(const std::vector<std::string>& arguments, std::string_view input,
                            int64_t timeout_ns) const override {
    // A file, not a pipe: nobody has to write while the program runs.
    ASSAY_ASSIGN(UniqueFd standard_input, sealed_memory_file("input", input));
    ASSAY_ASSIGN(Pipe output, make_pipe());
    ASSAY_ASSIGN(Pipe errors, make_pipe());
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, standard_input.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
    // A group of its own, so that what it starts ends with it. Ctrl-C does not reach that: it waits
    // until the program has been ended.
    const InterruptionsHeld held;
    const UniqueFd interruption(::signalfd(-1, &held.signals(), SFD_CLOEXEC | SFD_NONBLOCK));
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    std::vector<char*> words;
    for (const std::string& argument : arguments)
      words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    pid_t pid = -1;
    int failed = ::posix_spawn(&pid, words[0], &actions, &attributes, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
      errno = failed;
      return errno_error("run '" + arguments[0] + "'");
    }
    output.write.reset();
    errors.write.reset();
    ProgramResult result;
    const Drained drained = drain(output, errors, pid, interruption.get(), result, timeout_ns);
    if (drained != Drained::ended) ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (drained == Drained::interrupted) return error(Code::interrupted, "interrupted");
    if (drained == Drained::timed_out)
      return error(Code::unavailable, "'" + arguments[0] + "' does not end");
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

 private:
  static utsname names() {
    utsname names{};
    ::uname(&names);
    return names;
  }
};

}  // namespace

const Machine& this_machine() {
  static const ThisMachine machine;
  return machine;
}

std::string find_file(const Disk& disk, const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return disk.exists(pattern) ? pattern : "";
  std::filesystem::path path(pattern);
  std::string folder = path.parent_path().string(), last = path.filename().string();
  auto entries = disk.list(folder);
  if (!entries) return "";
  for (const DirectoryEntry& entry : *entries)
    if (::fnmatch(last.c_str(), entry.name.c_str(), 0) == 0) return join_path(folder, entry.name);
  return "";
}

std::string find_library(const Machine& machine, const std::string& name) {
  for (const std::string& folder : machine.library_folders()) {
    std::string path = join_path(folder, name);
    if (machine.disk().exists(path)) return path;
  }
  return "";
}

std::vector<std::string> cpu_features(const Disk& disk) {
  auto text = disk.read("/proc/cpuinfo");
  if (!text) return {};
  for (const std::string& line : parts_of(*text, '\n'))
    if ((line.starts_with("flags") || line.starts_with("Features")) && line.contains(": "))
      return parts_of(line.substr(line.find(": ") + 2), ' ');
  return {};
}

}  // namespace assay
