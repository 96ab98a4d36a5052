#include "sandbox/freezer.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/control_group.h"
#include "sandbox/fork_server.h"

namespace assay {
namespace {

// Stopping takes microseconds, or as long as a system call that cannot be interrupted. On a machine
// that has stood still itself it has taken seconds.
constexpr int64_t kPatienceNs = 10'000'000'000;

Status write_word(const UniqueFd& file, std::string_view word, const char* what) {
  if (::pwrite(file.get(), word.data(), word.size(), 0) == static_cast<ssize_t>(word.size()))
    return {};
  return errno_error(what);
}

std::string read_file(const UniqueFd& file) {
  char bytes[1024];
  ssize_t size = ::pread(file.get(), bytes, sizeof bytes, 0);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
}

Result<UniqueFd> open_file(const std::string& path, int flags) {
  UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC));
  if (!file) return errno_error("open '" + path + "'");
  return file;
}

// Reads again and again instead of waiting for a notice: those come milliseconds late. Who runs
// elsewhere comes to rest within microseconds, which count in a window. Who is to do so on this
// core needs it, and gets it by no yield before the scheduler takes it from us: so we sleep then.
Status until(const UniqueFd& file, std::string_view sign) {
  constexpr int64_t kAwakeNs = 40'000;
  const int64_t begin_ns = now_ns();
  while (read_file(file).find(sign) == std::string::npos) {
    const int64_t taken_ns = now_ns() - begin_ns;
    if (taken_ns > kPatienceNs)
      return error(Code::unavailable, "a jail's control group does not come to rest");
    const timespec pause{0, 10'000};
    if (taken_ns < kAwakeNs)
      ::sched_yield();
    else
      ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  }
  return {};
}

// The processes and threads of a control group, which only it knows all of.
class Members {
 public:
  static Result<Members> open(const std::string& folder, const char* threads) {
    Members members;
    ASSAY_ASSIGN(members.processes_, open_file(folder + "/cgroup.procs", O_RDONLY));
    ASSAY_ASSIGN(members.threads_, open_file(folder + "/" + threads, O_RDONLY));
    return members;
  }

  // Who ends meanwhile is left out.
  void add_to(JailTimes& times) const {
    int64_t cpu_ns = 0;
    for (const pid_t process : ids(processes_)) {
      clockid_t clock{};
      timespec used{};
      if (::clock_getcpuclockid(process, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
        cpu_ns += int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    }
    times.process_cpu_ns = cpu_ns;
    for (const pid_t thread : ids(threads_)) times.waited_ns += waited_ns(thread);
  }

 private:
  static std::vector<pid_t> ids(const UniqueFd& file) {
    std::string text;
    char bytes[4096];
    while (true) {
      const ssize_t size =
          ::pread(file.get(), bytes, sizeof bytes, static_cast<off_t>(text.size()));
      if (size <= 0) break;
      text.append(bytes, static_cast<size_t>(size));
    }
    std::vector<pid_t> found;
    const char* at = text.data();
    const char* end = at + text.size();
    for (pid_t id = 0; at < end; ++at) {
      const auto [next, failed] = std::from_chars(at, end, id);
      if (failed != std::errc()) break;
      found.push_back(id);
      at = next;
    }
    return found;
  }

  // "CPU_NS WAITED_NS SLICES".
  static int64_t waited_ns(pid_t thread) {
    const std::string path = "/proc/" + std::to_string(thread) + "/schedstat";
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const std::string text = file ? read_file(file) : "";
    const size_t space = text.find(' ');
    return space == std::string::npos ? 0 : std::strtoll(text.c_str() + space, nullptr, 10);
  }

  UniqueFd processes_, threads_;
};

class GroupFreezer final : public Freezer {
 public:
  GroupFreezer(UniqueFd freeze, UniqueFd events, UniqueFd usage, Members members)
      : freeze_(std::move(freeze)),
        events_(std::move(events)),
        usage_(std::move(usage)),
        members_(std::move(members)) {}

 protected:
  Status stop() override {
    ASSAY_TRY(write_word(freeze_, "1", "freeze a jail's control group"));
    return until(events_, "frozen 1");
  }
  Status go_on() override { return write_word(freeze_, "0", "thaw a jail's control group"); }
  Result<int64_t> measure() override {
    auto microseconds = number_after(read_file(usage_), "usage_usec");
    if (!microseconds) return error(Code::io, "cannot read the CPU time of a jail");
    return static_cast<int64_t>(*microseconds) * 1000;
  }
  void add_other_clocks(JailTimes& times) override { members_.add_to(times); }

 private:
  UniqueFd freeze_, events_, usage_;
  Members members_;
};

class OldGroupFreezer final : public Freezer {
 public:
  OldGroupFreezer(UniqueFd state, UniqueFd usage, Members members)
      : state_(std::move(state)), usage_(std::move(usage)), members_(std::move(members)) {}

 protected:
  Status stop() override {
    ASSAY_TRY(write_word(state_, "FROZEN", "freeze a jail's control group"));
    return until(state_, "FROZEN");
  }
  Status go_on() override { return write_word(state_, "THAWED", "thaw a jail's control group"); }
  Result<int64_t> measure() override {
    std::string text = read_file(usage_);
    if (text.empty()) return error(Code::io, "cannot read the CPU time of a jail");
    return std::strtoll(text.c_str(), nullptr, 10);
  }
  void add_other_clocks(JailTimes& times) override { members_.add_to(times); }

 private:
  UniqueFd state_, usage_;
  Members members_;
};

class KeeperFreezer final : public Freezer {
 public:
  explicit KeeperFreezer(UniqueFd socket) : socket_(std::move(socket)) {
    timeval patience{kPatienceNs / 1'000'000'000, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

 protected:
  Status stop() override { return status(ask(sandbox::KeeperCommand::kStop)); }
  Status go_on() override { return status(ask(sandbox::KeeperCommand::kContinue)); }
  Result<int64_t> measure() override {
    ASSAY_ASSIGN(sandbox::KeeperAnswer answer, ask(sandbox::KeeperCommand::kMeasure));
    return answer.cpu_ns;
  }

 private:
  static Status status(Result<sandbox::KeeperAnswer> answer) {
    if (!answer) return std::unexpected(answer.error());
    if (!answer->done) return error(Code::unavailable, "a process of a jail does not stop");
    return {};
  }

  Result<sandbox::KeeperAnswer> ask(uint32_t what) {
    sandbox::KeeperCommand command{what};
    sandbox::KeeperAnswer answer;
    if (::send(socket_.get(), &command, sizeof command, MSG_NOSIGNAL) != sizeof command)
      return errno_error("ask a jail's keeper");
    ssize_t size = 0;
    do size = ::recv(socket_.get(), &answer, sizeof answer, 0);
    while (size < 0 && errno == EINTR);
    if (size < 0) return errno_error("hear from a jail's keeper");
    if (size != sizeof answer) return error(Code::unavailable, "a jail's keeper has ended");
    return answer;
  }

  UniqueFd socket_;
};

}  // namespace

Status Freezer::check_open() const {
  if (closed_) return error(Code::unavailable, "the child has ended");
  return {};
}

Status Freezer::freeze() {
  std::lock_guard lock(mutex_);
  ASSAY_TRY(check_open());
  frozen_ = true;  // from here on, also where it fails half way
  return stop();
}

Status Freezer::thaw() {
  std::lock_guard lock(mutex_);
  ASSAY_TRY(check_open());
  frozen_ = false;
  return go_on();
}

Result<int64_t> Freezer::cpu_ns() {
  std::lock_guard lock(mutex_);
  ASSAY_TRY(check_open());
  return measure();
}

Result<JailTimes> Freezer::times() {
  std::lock_guard lock(mutex_);
  ASSAY_TRY(check_open());
  JailTimes times;
  ASSAY_ASSIGN(times.cpu_ns, measure());
  add_other_clocks(times);
  return times;
}

void Freezer::close() {
  std::lock_guard lock(mutex_);
  if (closed_) return;
  closed_ = true;
  // Only so that it can be ended: where it fails, it is ended by harder means.
  if (frozen_) (void)go_on();
}

Result<std::shared_ptr<Freezer>> group_freezer(const std::string& folder,
                                               const std::string& cpu_file) {
  if (auto freeze = open_file(folder + "/cgroup.freeze", O_WRONLY)) {
    ASSAY_ASSIGN(UniqueFd events, open_file(folder + "/cgroup.events", O_RDONLY));
    ASSAY_ASSIGN(UniqueFd usage, open_file(folder + "/cpu.stat", O_RDONLY));
    ASSAY_ASSIGN(Members members, Members::open(folder, "cgroup.threads"));
    return std::make_shared<GroupFreezer>(std::move(*freeze), std::move(events), std::move(usage),
                                          std::move(members));
  }
  ASSAY_ASSIGN(UniqueFd state, open_file(folder + "/freezer.state", O_RDWR));
  ASSAY_ASSIGN(UniqueFd usage, open_file(cpu_file, O_RDONLY));
  ASSAY_ASSIGN(Members members, Members::open(folder, "tasks"));
  return std::make_shared<OldGroupFreezer>(std::move(state), std::move(usage), std::move(members));
}

std::shared_ptr<Freezer> keeper_freezer(UniqueFd socket) {
  return std::make_shared<KeeperFreezer>(std::move(socket));
}

}  // namespace assay
