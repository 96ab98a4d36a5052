// A command of the user's: the prompt on its standard input, the answer on its standard output.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "base/units.h"
#include "provider/all.h"
#include "provider/api_error.h"
#include "provider/secrets.h"

namespace assay {
namespace {

constexpr size_t kMostOutputBytes = 32 << 20;
constexpr size_t kKeptErrorBytes = 4096;
constexpr int64_t kMostNs = 600'000'000'000;
constexpr int kLookForStopMs = 50;

struct PipeEnds {
  UniqueFd read, write;
};

Result<PipeEnds> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("make a pipe");
  return PipeEnds{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// With the question's name and parameters, for commands that want to know them.
std::vector<std::string> environment_for(const Question& question) {
  std::vector<std::string> all;
  for (char** each = environ; *each; ++each) all.emplace_back(*each);
  all.push_back("ASSAY_NODE=" + question.node);
  all.push_back("ASSAY_PARAMETERS=" +
                (question.parameters.is_object() ? dump_json(question.parameters) : "{}"));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// One run of the command.
class CommandRun {
 public:
  CommandRun(std::string input) : input_(std::move(input)) {}
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;
  ~CommandRun() { end(); }

  Status start(const std::string& command, const Question& question) {
    ASSAY_ASSIGN(PipeEnds input, open_pipe());
    ASSAY_ASSIGN(PipeEnds output, open_pipe());
    ASSAY_ASSIGN(PipeEnds errors, open_pipe());
    // All that needs memory is made before the fork: other threads may hold malloc's lock.
    std::vector<std::string> words{"/bin/sh", "-c", command};
    std::vector<std::string> variables = environment_for(question);
    const std::vector<char*> argv = pointers_to(words);
    const std::vector<char*> envp = pointers_to(variables);
    const std::array<int, 3> standard{input.read.get(), output.write.get(), errors.write.get()};
    const pid_t assay = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) return errno_error("start a command");
    if (pid_ == 0) keep(assay, argv.data(), envp.data(), standard);
    ::setpgid(pid_, pid_);  // both do it: whoever comes first
    process_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!process_) return errno_error("watch a command");
    to_ = std::move(input.write);
    from_ = std::move(output.read);
    errors_ = std::move(errors.read);
    for (const UniqueFd* end : {&to_, &from_, &errors_})
      if (::fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return errno_error("talk to a command");
    return {};
  }

  // Until it has ended and its output is read. "" or why it was ended before.
  std::string converse(const std::atomic<bool>& stop) {
    const int64_t until_ns = now_ns() + kMostNs;
    if (input_.empty()) to_.reset();
    while (from_ || !ended_) {
      if (stop.load()) return "interrupted";
      if (now_ns() > until_ns) return "it took longer than " + format_duration(kMostNs);
      if (output_.size() > kMostOutputBytes)
        return "it said more than " + format_bytes(kMostOutputBytes);
      exchange();
    }
    return "";
  }

  // Ends what is left of its process group, and gives its wait status.
  int end() {
    if (pid_ <= 0) return status_;
    ::kill(pid_, SIGUSR1);
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status_;
  }

  std::string& output() { return output_; }
  // The last line that says something.
  std::string complaint() const {
    std::string_view text = error_text_;
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    const size_t line = text.find_last_of('\n');
    return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
  }

 private:
  // Starts the command, which leads a process group, ends that group, and ends as the command did:
  // when assay says so, and when it has been ended by kill -9. A shell alone would end then, and
  // what it has started would go on. Between fork() and exec only what the kernel does.
  [[noreturn]] static void keep(pid_t assay, char* const* argv, char* const* envp,
                                const std::array<int, 3>& standard) {
    static volatile pid_t command = 0;
    ::setpgid(0, 0);  // Ctrl-C is assay's affair
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
    ::signal(SIGUSR1, [](int) { ::kill(-command, SIGKILL); });
    sigset_t held, none;
    ::sigemptyset(&none);
    ::sigemptyset(&held);
    ::sigaddset(&held, SIGUSR1);
    ::sigprocmask(SIG_SETMASK, &held, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (::getppid() != assay) ::_exit(127);  // it has ended already
    command = ::fork();
    if (command == 0) become(argv, envp, standard);
    if (command < 0) ::_exit(127);
    ::setpgid(command, command);  // both do it: whoever comes first
    // Its own ends of the command's pipes, above all: they would stay open.
    ::syscall(SYS_close_range, 0U, ~0U, 0U);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    int status = 127 << 8;
    while (::waitpid(command, &status, 0) < 0 && errno == EINTR) {
    }
    ::kill(-command, SIGKILL);
    if (WIFSIGNALED(status)) {
      ::signal(WTERMSIG(status), SIG_DFL);
      ::raise(WTERMSIG(status));
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
  }

  [[noreturn]] static void become(char* const* argv, char* const* envp,
                                  const std::array<int, 3>& standard) {
    ::setpgid(0, 0);
    ::signal(SIGUSR1, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 3; ++fd)
      if (::dup2(standard.at(static_cast<size_t>(fd)), fd) < 0) ::_exit(127);
    ::execve(argv[0], argv, envp);
    ::_exit(127);
  }

  void exchange() {
    const bool had_ended = ended_;
    std::array<pollfd, 4> polled{{{to_.get(), POLLOUT, 0},
                                  {from_.get(), POLLIN, 0},
                                  {errors_.get(), POLLIN, 0},
                                  {had_ended ? -1 : process_.get(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), had_ended ? 0 : kLookForStopMs) < 0) return;
    if (polled[0].revents != 0) write_more();
    if (polled[1].revents != 0) read_more(from_, output_);
    if (polled[2].revents != 0) read_more(errors_, error_text_);
    if (polled[3].revents != 0) ended_ = true;
    if (error_text_.size() > 2 * kKeptErrorBytes)
      error_text_.erase(0, error_text_.size() - kKeptErrorBytes);
    // What it started may keep its output open for as long as it likes.
    if (had_ended && polled[1].revents == 0) from_.reset();
  }

  void write_more() {
    const ssize_t count = ::write(to_.get(), input_.data() + written_, input_.size() - written_);
    if (count > 0) written_ += static_cast<size_t>(count);
    const bool again = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (written_ == input_.size() || (count <= 0 && !again)) to_.reset();
  }

  static void read_more(UniqueFd& fd, std::string& text) {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(fd.get(), bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
  }

  std::string input_;
  size_t written_ = 0;
  std::string output_, error_text_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  UniqueFd process_, to_, from_, errors_;
};

std::string ending_in_words(int status) {
  if (WIFSIGNALED(status)) return fmt::format("it ended by signal {}", WTERMSIG(status));
  return fmt::format("it ended with status {}", WEXITSTATUS(status));
}

class Command final : public Provider {
 public:
  explicit Command(std::string command) : command_(std::move(command)) {}

  Answer ask(const Question& question, const std::atomic<bool>& stop) override {
    const int64_t begun_ns = now_ns();
    Answer answer{.calls = 1};
    CommandRun run(question.system.empty() ? question.prompt
                                           : question.system + "\n\n" + question.prompt);
    if (auto started = run.start(command_, question); !started) {
      answer.why = started.error().message;
      answer.calls = 0;
      return answer;
    }
    answer.of_unknown_cost = 1;  // whatever it asks
    const std::string cut = run.converse(stop);
    const int status = run.end();
    const std::string complaint = one_line(run.complaint());
    if (!cut.empty()) {
      answer.end = stop.load() ? Answer::End::stopped : Answer::End::failed;
      answer.why = cut;
    } else if (status != 0) {
      answer.why = ending_in_words(status) + (complaint.empty() ? "" : ": " + complaint);
    } else {
      answer.end = Answer::End::complete;
      answer.text = without_secrets(std::move(run.output()));
    }
    answer.wall_ns = now_ns() - begun_ns;
    return answer;
  }

  Result<std::string> check() override { return "is started for each question"; }

 private:
  std::string command_;
};

Result<std::string> command_setup(const Disk&) { return "/bin/sh -c COMMAND"; }

Result<std::unique_ptr<Provider>> open_command(const Disk&, const std::string& command,
                                               const ReadRecording&) {
  know_secrets_of_environment();
  return std::make_unique<Command>(command);
}

// The program's name.
std::string author_of_command(const std::string& command) {
  const std::string word = command.substr(0, command.find_first_of(" \t\n;|&"));
  return word.substr(word.find_last_of('/') + 1);
}

}  // namespace

ProviderType command_provider() {
  return {.name = "command",
          .title =
              "a command of yours: the prompt on its standard input, the answer on its "
              "standard output",
          .behind = "COMMAND",
          .setup = command_setup,
          .open = open_command,
          .author = author_of_command};
}

}  // namespace assay
