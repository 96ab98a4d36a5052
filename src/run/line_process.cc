#include "run/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/escape.h"
#include "base/places.h"

namespace assay {
namespace {

// A busy machine may take long over a request that takes seconds.
constexpr int64_t kMostWaitNs = 120'000'000'000;
constexpr size_t kMostLineBytes = 16 << 20;

}  // namespace

LineProcess::LineProcess(Setting setting) : setting_(std::move(setting)) {}

LineProcess::~LineProcess() { stop(); }

Result<Json> LineProcess::ask(const Json& request) {
  const std::string line = dump_json(request) + "\n";
  if (!channel_) ASSAY_TRY(start());
  for (size_t sent = 0; sent < line.size();) {
    ssize_t count = ::send(channel_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      auto failure = errno_error("ask " + setting_.what);
      stop();
      return failure;
    }
    sent += static_cast<size_t>(count);
  }
  auto answer = read_line();
  if (!answer) {
    stop();
    return std::unexpected(answer.error());
  }
  auto json = parse_json(*answer, "what " + setting_.what + " answered");
  if (!json) stop();
  return json;
}

Status LineProcess::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("make a socket for " + setting_.what);
  UniqueFd ours(ends[0]), theirs(ends[1]);
  // Nothing of the user's environment, keys least of all, but where libraries lie.
  std::vector<std::string> environment{"LANG=C.UTF-8"};
  const std::string libraries = environment_variable("LD_LIBRARY_PATH");
  if (!libraries.empty()) environment.push_back("LD_LIBRARY_PATH=" + libraries);
  std::vector<std::string> words{setting_.python, "-I", setting_.script};
  std::vector<char*> argv, variables;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : environment) variables.push_back(variable.data());
  argv.push_back(nullptr);
  variables.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What it complains of in words is no JSON, and becomes part of an error.
  for (int fd : {0, 1, 2}) posix_spawn_file_actions_adddup2(&actions, theirs.get(), fd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // Ctrl-C is assay's to answer.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int failure = ::posix_spawn(&pid, setting_.python.c_str(), &actions, &attributes,
                                    argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    errno = failure;
    return errno_error("run '" + setting_.python + "'", "`assay doctor` shows what is missing");
  }
  pid_ = pid;
  channel_ = std::move(ours);
  theirs = {};
  auto hello = read_line();
  if (!hello) {
    stop();
    return while_doing(hello.error(), "starting " + setting_.what);
  }
  auto said = parse_json(*hello, "the first line of " + setting_.what);
  if (!said || !said->contains("ready")) {
    const std::string why = said && said->contains("error") ? dump_json((*said)["error"]) : *hello;
    stop();
    return error(Code::unavailable, setting_.what + " does not come up: " + printable(why, false),
                 setting_.mend);
  }
  return {};
}

void LineProcess::stop() {
  if (pid_ > 0) {
    // Its children end by their limits.
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  channel_ = {};
  received_.clear();
}

Result<std::string> LineProcess::read_line() {
  const int64_t deadline_ns = system_clock().now_ns() + kMostWaitNs;
  size_t looked = 0;
  while (true) {
    size_t end = received_.find('\n', looked);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    looked = received_.size();
    if (received_.size() > kMostLineBytes)
      return error(Code::corrupt, setting_.what + " writes without end");
    const int64_t left_ms = (deadline_ns - system_clock().now_ns()) / 1'000'000;
    pollfd entry{channel_.get(), POLLIN, 0};
    int count = left_ms > 0 ? ::poll(&entry, 1, static_cast<int>(left_ms)) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return error(Code::unavailable, setting_.what + " does not answer",
                   "the machine may be very busy: run the same command again");
    char bytes[1 << 16];
    ssize_t got = ::recv(channel_.get(), bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return error(Code::unavailable, setting_.what + " ended: " + printable(received_, false),
                   "`assay doctor` shows whether its Python works");
    received_.append(bytes, static_cast<size_t>(got));
  }
}

}  // namespace assay
