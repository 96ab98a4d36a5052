#include "sandbox/image_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/escape.h"

namespace assay {
namespace {

constexpr int64_t kForkTimeoutNs = 10'000'000'000;

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// Runs between fork and exec: system calls only.
[[noreturn]] void become(const char* path, char* const* argv, char* const* environment, int control,
                         int output, pid_t assay) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != assay) ::_exit(127);  // assay died before the line above
  int null = ::open("/dev/null", O_RDONLY);
  int high_control = ::fcntl(control, F_DUPFD, 64);
  int high_output = ::fcntl(output, F_DUPFD, 64);
  ::dup2(null, 0);
  ::dup2(high_output, 1);
  ::dup2(high_output, 2);
  ::dup2(high_control, wire::kChannelFd);
  ::syscall(SYS_close_range, wire::kChannelFd + 1, ~0u, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execve(path, argv, environment);
  ::_exit(127);
}

// False when `fd` cannot be read before the deadline.
bool wait_readable(int fd, int64_t deadline_ns) {
  while (true) {
    int64_t left_ms = (deadline_ns - system_clock().now_ns()) / 1'000'000;
    pollfd entry{fd, POLLIN, 0};
    int count = ::poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left_ms, 0, 1'000'000)));
    if (count > 0) return true;
    if (count == 0) return false;
    if (errno != EINTR) return false;
  }
}

}  // namespace

Result<ImageProcess> ImageProcess::start(const Image& image) {
  const std::string& path = image.argv.at(0);
  if (::access(path.c_str(), X_OK) != 0)
    return errno_error("run '" + path + "'", "`assay doctor` shows what is missing");
  int sockets[2];
  int pipe_ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return errno_error("make a socket for '" + image.name + "'");
  UniqueFd ours(sockets[0]), theirs(sockets[1]);
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    return errno_error("make a pipe for '" + image.name + "'");
  UniqueFd output(pipe_ends[0]), output_end(pipe_ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);

  std::vector<char*> argv = pointers(image.argv);
  std::vector<char*> environment = pointers(image.environment);
  pid_t assay = ::getpid();
  pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork for '" + image.name + "'");
  if (pid == 0)
    become(path.c_str(), argv.data(), environment.data(), theirs.get(), output_end.get(), assay);

  ImageProcess process(image.name);
  process.pid_ = pid;
  process.control_ = std::move(ours);
  process.output_ = std::move(output);
  process.start_deadline_ns_ = system_clock().now_ns() + image.start_timeout_ns;
  return process;
}

ImageProcess::~ImageProcess() {
  if (!control_) return;  // moved from
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Result<Json> ImageProcess::read_frame(int64_t deadline_ns) {
  while (true) {
    if (auto body = decoder_.next()) return parse_json(*body, "a frame of '" + name_ + "'");
    if (decoder_.failed()) return std::unexpected(failure("sent a frame of an impossible length"));
    if (!wait_readable(control_.get(), deadline_ns))
      return std::unexpected(failure("did not answer in time"));
    char bytes[4096];
    ssize_t count = ::recv(control_.get(), bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::unexpected(failure("ended before it answered"));
    decoder_.feed({bytes, static_cast<size_t>(count)});
  }
}

Status ImageProcess::read_hello() {
  ASSAY_ASSIGN(Json hello, read_frame(start_deadline_ns_));
  ASSAY_TRY(check_hello(hello));
  ready_ = true;
  return {};
}

Status ImageProcess::check_hello(const Json& hello) {
  JsonReader fields(hello, "the hello of '" + name_ + "'");
  int64_t version = fields.integer("protocol");
  std::string image = fields.text("image");
  int64_t threads = fields.optional_integer("threads").value_or(1);
  ASSAY_TRY(fields.status());
  if (version != wire::kVersion)
    return std::unexpected(failure(
        fmt::format("speaks protocol version {}; this assay speaks {}", version, wire::kVersion)));
  if (image != name_)
    return std::unexpected(failure(fmt::format("is the image '{}'", printable(image, false))));
  if (threads != 1)
    return std::unexpected(
        failure(fmt::format("has {} threads where a fork is only safe with one", threads)));
  return {};
}

void ImageProcess::read_output() {
  char bytes[4096];
  while (true) {
    ssize_t count = ::read(output_.get(), bytes, sizeof bytes);
    if (count > 0) {
      printed_.add({bytes, static_cast<size_t>(count)});
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) output_.reset();
    return;
  }
}

Result<pid_t> ImageProcess::fork_keeper(const sandbox::ForkRequest& request,
                                        std::span<const int> descriptors) {
  std::string_view bytes(reinterpret_cast<const char*>(&request), sizeof request);
  if (!wire::send(control_.get(), bytes, descriptors))
    return std::unexpected(failure("does not take requests any more"));
  if (!wait_readable(control_.get(), system_clock().now_ns() + kForkTimeoutNs))
    return std::unexpected(failure("did not fork in time"));
  sandbox::ForkReply reply;
  size_t no_descriptors = 0;
  ssize_t size = wire::receive(control_.get(), &reply, sizeof reply, nullptr, 0, &no_descriptors);
  if (size != sizeof reply) return std::unexpected(failure("ended instead of forking"));
  if (reply.keeper_pid <= 0)
    return std::unexpected(failure(fmt::format("cannot fork: {}", std::strerror(reply.error))));
  return reply.keeper_pid;
}

Error ImageProcess::failure(const std::string& problem) {
  if (output_) read_output();
  std::string message = fmt::format("the '{}' process {}", name_, problem);
  std::string printed = printed_.text();
  while (!printed.empty() && printed.back() == '\n') printed.pop_back();
  if (!printed.empty()) message += "; it printed:\n" + printable(printed, true);
  return Error{Code::unavailable, message, "`assay doctor` shows what is missing", {}};
}

Result<Json> ask_once(const Image& image) {
  ASSAY_ASSIGN(ImageProcess process, ImageProcess::start(image));
  ASSAY_TRY(process.read_hello());
  return process.read_frame(process.start_deadline_ns());
}

}  // namespace assay
