#include "side.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "passing.h"
#include "report.h"

namespace assay::gpu {
namespace {

void wake(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void write_word(const std::string& path, const char* text) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0 || ::write(file, text, std::strlen(text)) < 0)
    die("write %s: %s", path.c_str(), std::strerror(errno));
  ::close(file);
}

bool is_frozen(const std::string& cgroup) {
  int file = ::open((cgroup + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC);
  char text[256] = {};
  if (file < 0 || ::read(file, text, sizeof text - 1) < 0)
    die("read %s/cgroup.events: %s", cgroup.c_str(), std::strerror(errno));
  ::close(file);
  return std::strstr(text, "frozen 1") != nullptr;
}

}  // namespace

Side::Side(const Plan& plan) {
  page_fd_ = ::memfd_create("gpu-probe-page", MFD_CLOEXEC);
  if (page_fd_ < 0 || ::ftruncate(page_fd_, ControlPage::kBytes) != 0)
    die("make a control page: %s", std::strerror(errno));
  void* memory =
      ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_fd_, 0);
  if (memory == MAP_FAILED) die("map a control page: %s", std::strerror(errno));
  page_ = new (memory) ControlPage();
  page_->elements = plan.elements;
  page_->slots = plan.slots;
  page_->arena_bytes = plan.arena_fd < 0 ? 0 : ArenaLayout{plan.elements, plan.slots}.bytes();
  page_->rounds = 1;
  int channel[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    die("socketpair: %s", std::strerror(errno));
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) die("who am I?");
  begin_ns_ = now_ns();
  patience_ns_ = plan.patience_ns;
  std::vector<std::string> command = plan.command;
  if (command.empty()) command = {self, "candidate"};
  jailed_ = Jailed::start(plan.jail, command, {page_fd_, channel[1]});
  ::close(channel[1]);
  problem_ = jailed_.problem();
  if (problem_.empty() && plan.arena_fd >= 0 && !send_descriptor(channel[0], plan.arena_fd))
    problem_ = "the memory could not be sent";
  ::close(channel[0]);
  if (plan.waits) await_ready();
}

void Side::await_ready() {
  while (problem_.empty() && page_->ready == 0) {
    if (page_->failed != 0) problem_ = page_->text;
    if (problem_.empty() && ended()) problem_ = "it has ended";
    if (problem_.empty() && now_ns() - begin_ns_ > patience_ns_) problem_ = "it is not ready";
    if (problem_.empty()) sleep_us(100);
  }
  ready_ns_ = now_ns() - begin_ns_;
  if (!problem_.empty()) kill();
}

Side::~Side() {
  kill();
  if (page_) ::munmap(page_, ControlPage::kBytes);
  if (page_fd_ >= 0) ::close(page_fd_);
}

bool Side::ended() {
  if (over_) return true;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid()), &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0)
    over_ = true;
  return over_;
}

void Side::kill() {
  if (pid() <= 0 || over_) return;
  ::kill(pid(), SIGKILL);
  if (kind_ == Freeze::cgroup && frozen_) write_word(cgroup_ + "/cgroup.freeze", "0");
  int64_t begin_ns = now_ns();
  while (!ended() && now_ns() - begin_ns < 20'000'000'000) sleep_us(50);
}

void Side::go(Act act) {
  page_->act = act;
  page_->go = ++window_;
  if (frozen_) thaw();
  wake(page_->go);
}

bool Side::wait(int64_t patience_ns) {
  int64_t until_ns = now_ns() + patience_ns;
  for (uint32_t spins = 1; page_->done != window_; ++spins) {
    if (spins % 4096 != 0) continue;
    if (page_->failed != 0) {
      problem_ = page_->text;
    } else if (ended()) {
      problem_ = "it has ended";
    } else if (now_ns() > until_ns) {
      problem_ = "it takes too long";
    }
    if (!problem_.empty()) return false;
  }
  return true;
}

void Side::forgive() {
  problem_.clear();
  page_->failed = 0;
}

bool Side::try_call(Act act, int64_t patience_ns) {
  go(act);
  return wait(patience_ns);
}

void Side::call(Act act) {
  if (!try_call(act))
    die("the candidate, asked for %s: %s", std::string(name_of(act)).c_str(), problem_.c_str());
}

void Side::freeze_by(Freeze kind, std::string cgroup) {
  kind_ = kind;
  cgroup_ = std::move(cgroup);
}

void Side::freeze() {
  if (frozen_ || kind_ == Freeze::none) return;
  if (kind_ == Freeze::stop) {
    if (::kill(pid(), SIGSTOP) != 0) die("stop the candidate: %s", std::strerror(errno));
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WEXITED | WNOWAIT) != 0)
      if (errno != EINTR) die("wait for the candidate: %s", std::strerror(errno));
    if (info.si_code != CLD_STOPPED) die("the candidate ended in a window: %s", page_->text);
    // Takes the notice, so that the next one is a new one.
    if (::waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WNOHANG) != 0)
      die("wait for the candidate: %s", std::strerror(errno));
  } else {
    write_word(cgroup_ + "/cgroup.freeze", "1");
    while (!is_frozen(cgroup_)) {
    }
  }
  frozen_ = true;
}

void Side::thaw() {
  if (!frozen_) return;
  if (kind_ == Freeze::stop) {
    if (::kill(pid(), SIGCONT) != 0) die("continue the candidate: %s", std::strerror(errno));
  } else {
    write_word(cgroup_ + "/cgroup.freeze", "0");
  }
  frozen_ = false;
}

}  // namespace assay::gpu
