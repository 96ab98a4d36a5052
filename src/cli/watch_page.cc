#include "cli/watch_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <utility>

#include "base/json.h"
#include "base/places.h"
#include "cli/command.h"
#include "cli/output.h"
#include "measure/watchers.h"

namespace assay {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";
constexpr size_t kMostOfLine = 4096;

volatile sig_atomic_t process_to_end = 0;

void pass_on(int) {
  if (process_to_end > 0) ::kill(process_to_end, SIGTERM);
}

// In the child: nothing that allocates.
[[noreturn]] void become(const char* const* arguments, int output, pid_t parent) {
  // That ends it even where it is stopped.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it has ended already
  ::setpgid(0, 0);                        // a Ctrl-C is for its parent, which ends it last
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  // Nothing else of this process is its own: the lock of a run, say.
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) std::signal(number, SIG_DFL);
  ::execv(arguments[0], const_cast<char* const*>(arguments));
  ::_exit(127);
}

// Up to the end of the first line.
std::string first_line(const UniqueFd& from) {
  std::string line;
  char letter = 0;
  while (line.size() < kMostOfLine) {
    const ssize_t count = ::read(from.get(), &letter, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || letter == '\n') break;
    line += letter;
  }
  return line;
}

Result<int> parse_port(const std::string& text) {
  int port = -1;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535)
    return error(Code::invalid_input, "--port '" + text + "' is no number from 0 to 65535",
                 "0 takes any that is free");
  return port;
}

}  // namespace

Result<PageWatcher> PageWatcher::start(const std::string& folder, const std::string& host,
                                       int port) {
  ASSAY_ASSIGN(Places places, find_places());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe for the watcher");
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  const std::string port_text = std::to_string(port);
  const char* const arguments[] = {places.watcher.c_str(), folder.c_str(), host.c_str(),
                                   port_text.c_str(), nullptr};
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) return errno_error("start " + places.watcher);
  if (process == 0) become(arguments, write_end.get(), parent);
  write_end.reset();
  PageWatcher watcher(folder, process);
  ASSAY_TRY(watcher.read_address(host, std::move(read_end)));
  return watcher;
}

Status PageWatcher::read_address(const std::string& host, UniqueFd output) {
  const std::string line = first_line(output);
  if (line.empty())
    return error(Code::unavailable, "assay-watcher did not start",
                 "install assay again; what it lacks stands above");
  ASSAY_ASSIGN(Json said, parse_json(line, "what assay-watcher says"));
  JsonReader reader(said, "what assay-watcher says");
  if (reader.has("error"))
    return error(Code::refused, reader.text("error"), reader.optional_text("next").value_or(""));
  const int64_t port = reader.integer("port");
  const std::string token = reader.text("token");
  ASSAY_TRY(reader.status());
  const bool needs_brackets = host.contains(':') && !host.starts_with('[');
  address_ = fmt::format("http://{}:{}/{}", needs_brackets ? "[" + host + "]" : host, port,
                         token.empty() ? "" : "?token=" + token);
  return {};
}

PageWatcher::PageWatcher(PageWatcher&& other) noexcept
    : folder_(std::move(other.folder_)),
      address_(std::move(other.address_)),
      process_(std::exchange(other.process_, 0)) {}

PageWatcher::~PageWatcher() {
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  ::kill(process_, SIGCONT);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<int> PageWatcher::wait() {
  process_to_end = process_;
  struct sigaction action{};
  action.sa_handler = pass_on;
  for (int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  while (true) {
    int status = 0;
    if (::waitpid(process_, &status, WUNTRACED) < 0) {
      if (errno == EINTR) continue;
      return errno_error("wait for assay-watcher");
    }
    if (WIFSTOPPED(status)) {
      // By a judge, which has it go on itself unless it is killed.
      wait_until_nobody_times(folder_);
      ::kill(process_, SIGCONT);
      continue;
    }
    process_to_end = 0;
    process_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) return 0;
    return error(Code::unavailable,
                 WIFSIGNALED(status)
                     ? fmt::format("assay-watcher was ended by signal {}", WTERMSIG(status))
                     : fmt::format("assay-watcher ended with {}", WEXITSTATUS(status)),
                 "the same command starts it again");
  }
}

Result<int> serve_page(const std::string& folder, const std::string& host, const std::string& port,
                       Output& output) {
  ASSAY_ASSIGN(const int number, parse_port(port));
  ASSAY_ASSIGN(PageWatcher watcher,
               PageWatcher::start(folder, host.empty() ? std::string(kLoopback) : host, number));
  output.write(watcher.address() + "\n");
  return watcher.wait();
}

Result<std::unique_ptr<PageWatcher>> watch_if_asked(const Arguments& arguments,
                                                    const std::string& folder, Output& output) {
  if (!arguments.given("--watch")) return std::unique_ptr<PageWatcher>();
  ASSAY_ASSIGN(PageWatcher watcher, PageWatcher::start(folder, std::string(kLoopback), 0));
  output.remark("watch it: " + watcher.address() + "\n");
  return std::make_unique<PageWatcher>(std::move(watcher));
}

}  // namespace assay
