#include "sandbox/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "base/control_group.h"
#include "base/disk.h"

namespace assay {
namespace {

// How long a keeper gets to end its worker and report before it is killed itself.
constexpr int64_t kReportPatienceNs = 2'000'000'000;

// Processes the kernel has killed since it started because memory ran out. 0 where it does not say.
uint64_t out_of_memory_kills() {
  auto text = system_disk().read("/proc/vmstat");
  return text ? number_after(*text, "oom_kill ").value_or(0) : 0;
}

// The children of a process and its threads, as its own pid namespace's parent sees them; none when
// it is gone.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  auto threads = system_disk().list(fmt::format("/proc/{}/task", pid));
  if (!threads) return children;
  for (const DirectoryEntry& thread : *threads) {
    auto text = system_disk().read(fmt::format("/proc/{}/task/{}/children", pid, thread.name));
    std::istringstream numbers(text.value_or(""));
    for (pid_t child = 0; numbers >> child;) children.push_back(child);
  }
  return children;
}

uint64_t resident_bytes_of(pid_t pid) {
  auto text = system_disk().read(fmt::format("/proc/{}/statm", pid));
  std::istringstream numbers(text.value_or(""));
  uint64_t size_pages = 0, resident_pages = 0;
  numbers >> size_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Child::Child(ChildId id, Limits limits, Outgoing job, std::optional<JailStart> jail,
             std::string scratch)
    : id_(id),
      limits_(std::move(limits)),
      jail_(std::move(jail)),
      scratch_(std::move(scratch)),
      printed_(limits_.kept_output_bytes) {
  to_send_.push_back(std::move(job));
}

Child::~Child() {
  if (jail_) jail_->freezer->close();
  if (keeper_) {
    signal_keeper(SIGKILL);
    reap(keeper_, /*wait=*/true);
  }
  // A scratch folder that cannot be removed is removed by the next run in this folder.
  if (!scratch_.empty()) (void)system_disk().remove_all(scratch_);
}

Status Child::fork_from(ImageProcess& zygote, unsigned number, int64_t now_ns) {
  int sockets[2], output[2], report[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return errno_error("make a socket for a worker");
  UniqueFd channel(sockets[0]), channel_end(sockets[1]);
  if (::pipe2(output, O_CLOEXEC) != 0) return errno_error("make a pipe for a worker");
  UniqueFd output_read(output[0]), output_end(output[1]);
  if (::pipe2(report, O_CLOEXEC) != 0) return errno_error("make a pipe for a worker");
  UniqueFd report_read(report[0]), report_end(report[1]);
  ASSAY_TRY(system_disk().make_directories(scratch_));
  UniqueFd scratch(::open(scratch_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!scratch) return errno_error("open the scratch folder '" + scratch_ + "'");
  for (int fd : {channel.get(), output_read.get(), report_read.get()})
    ::fcntl(fd, F_SETFL, O_NONBLOCK);

  sandbox::ForkRequest request;
  request.memory_bytes = limits_.memory_bytes;
  request.file_bytes = limits_.file_bytes;
  std::vector<int> descriptors{channel_end.get(), output_end.get(), report_end.get(),
                               scratch.get()};
  if (jail_) {
    request.jailed = 1;
    request.namespaces = jail_->namespaces;
    descriptors.push_back(jail_->layout.get());
    descriptors.push_back(jail_->keeper_end.get());
    if (jail_->group && jail_->group->folder() >= 0) {
      request.into_group = 1;
      descriptors.push_back(jail_->group->folder());
    }
    if (jail_->group)
      for (const UniqueFd& file : jail_->group->joins()) descriptors.push_back(file.get());
  }
  request.descriptors = static_cast<uint32_t>(descriptors.size());
  ASSAY_ASSIGN(pid_t pid, zygote.fork_keeper(request, descriptors));
  // Safe from reuse of the number: the keeper is our child and has not been waited for.
  keeper_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  keeper_pid_ = pid;
  if (!keeper_) {
    auto failed = errno_error("watch a worker");
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return failed;
  }
  if (jail_) {
    // Their other ends now tell when the keeper is gone.
    jail_->layout.reset();
    jail_->keeper_end.reset();
  }
  fork_ = {number, now_ns};
  channel_ = std::move(channel);
  output_ = std::move(output_read);
  report_ = std::move(report_read);
  started_ns_ = now_ns;
  kills_before_ = out_of_memory_kills();
  deadline_ns_ = now_ns + limits_.timeout_ns;
  return {};
}

void Child::send(Outgoing frame, int64_t now_ns) {
  if (terminating_ || facts_.answered) return;
  to_send_.push_back(std::move(frame));
  deadline_ns_ = now_ns + limits_.timeout_ns;
  if (facts_.greeted) send_waiting(now_ns);
}

void Child::send_waiting(int64_t now_ns) {
  while (!to_send_.empty() && channel_) {
    const Outgoing& frame = to_send_.front();
    std::vector<int> raw;
    for (const UniqueFd& fd : frame.descriptors) raw.push_back(fd.get());
    if (!wire::send(channel_.get(), frame.bytes, raw)) {
      // What it may have unread fits an empty buffer, so a short or blocked write is its doing. One
      // that has closed its socket has ended, or its deadline will come.
      if (errno == EAGAIN) protocol_problem("does not read what it is sent", now_ns);
      return;
    }
    to_send_.pop_front();
  }
}

void Child::take_frame(const std::string& body, std::deque<Event>& events, int64_t now_ns) {
  if (terminating_) return;  // what comes after its time is up does not count
  auto message = parse_json(body, "a frame");
  if (!message || !message->is_object())
    return protocol_problem("sent a frame that is not a JSON object", now_ns);
  if (!facts_.greeted) {
    JsonReader hello(*message, "hello");
    int64_t version = hello.integer("protocol");
    if (!hello.status() || version != wire::kVersion)
      return protocol_problem(
          fmt::format("speaks protocol version {}; this assay speaks {}", version, wire::kVersion),
          now_ns);
    facts_.greeted = true;
    ready_ns_ = now_ns - started_ns_;
    return send_waiting(now_ns);
  }
  if (facts_.answered) return protocol_problem("answered again after its final answer", now_ns);
  JsonReader fields(*message, "message");
  if (fields.has("final") && fields.boolean("final")) facts_.answered = true;
  if (++messages_ > limits_.messages)
    return protocol_problem("answered more often than it was asked", now_ns);
  // In a conversation it is our turn now, unless this was its last word.
  bool awaited = !limits_.conversation || facts_.answered;
  deadline_ns_ = awaited ? now_ns + limits_.timeout_ns : INT64_MAX;
  Event event;
  event.kind = Event::Kind::message;
  event.child = id_;
  event.message = std::move(*message);
  read_output();  // all that it printed before it sent this is in the pipe
  event.printed = printed_since_message_.text();
  printed_since_message_ = Capture();
  events.push_back(std::move(event));
}

void Child::read_channel(std::deque<Event>& events, int64_t now_ns) {
  char bytes[1 << 16];
  while (channel_) {
    ssize_t count = ::recv(channel_.get(), bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      if (decoder_.pending_bytes() > 0 && facts_.protocol_problem.empty())
        protocol_problem("ended in the middle of a frame", now_ns);
      channel_.reset();
      return;
    }
    decoder_.feed({bytes, static_cast<size_t>(count)});
    while (facts_.protocol_problem.empty()) {
      auto body = decoder_.next();
      if (!body) break;
      take_frame(*body, events, now_ns);
    }
    if (decoder_.failed()) protocol_problem("announced a frame of an impossible length", now_ns);
    if (!facts_.protocol_problem.empty()) channel_.reset();
  }
}

void Child::read_output() {
  char bytes[1 << 16];
  // Bounded, so that a flood from one child does not keep the others waiting.
  for (int round = 0; round < 16 && output_; ++round) {
    ssize_t count = ::read(output_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return output_.reset();
    printed_.add({bytes, static_cast<size_t>(count)});
    printed_since_message_.add({bytes, static_cast<size_t>(count)});
    if (printed_.total_bytes() > limits_.output_bytes) {
      facts_.output_exceeded = true;
      facts_.output_limit_bytes = limits_.output_bytes;
      output_.reset();
      deadline_ns_ = 0;  // the spawner's next check ends it
    }
  }
}

bool Child::read_report(std::deque<Event>& events, int64_t now_ns) {
  char bytes[sizeof(sandbox::KeeperReport)];
  while (report_bytes_.size() < sizeof bytes) {
    ssize_t count = ::read(report_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return false;
    if (count <= 0) break;
    report_bytes_.append(bytes, static_cast<size_t>(count));
  }
  // All below the keeper is gone, so whatever the worker said is already in our buffers.
  read_channel(events, now_ns);
  read_output();

  sandbox::KeeperReport report;
  if (report_bytes_.size() == sizeof report) {
    std::memcpy(&report, report_bytes_.data(), sizeof report);
    facts_.reported = report.magic == sandbox::KeeperReport::kMagic;
  }
  facts_.wait_status = report.wait_status;
  report.problem[sizeof report.problem - 1] = '\0';
  if (!facts_.greeted && report.problem[0] != '\0')
    facts_.spawn_problem = std::string("assay could not set it up: it ") + report.problem;
  if (facts_.spawn_problem.contains("open what it may read") &&
      facts_.spawn_problem.contains(std::strerror(EACCES)))
    facts_.spawn_problem +=
        "; in this jail it is another user than root: what it reads has to be readable for all";
  bool killed = WIFSIGNALED(report.wait_status) && WTERMSIG(report.wait_status) == SIGKILL;
  facts_.memory_exceeded = jail_ && jail_->group && jail_->group->out_of_memory_kills() > 0;
  facts_.machine_out_of_memory =
      killed && !facts_.memory_exceeded && out_of_memory_kills() > kills_before_;
  if (jail_) jail_->freezer->close();

  Event event;
  event.kind = Event::Kind::ended;
  event.child = id_;
  event.ending = classify(facts_);
  event.ending.output = printed_.text();
  event.ending.output_bytes = printed_.total_bytes();
  event.ending.wall_ns = now_ns - started_ns_;
  event.ending.ready_ns = ready_ns_;
  event.ending.cpu_ns = report.cpu_ns;
  event.ending.peak_bytes = report.peak_bytes;
  event.ending.strays = report.strays;
  event.ending.memory_exceeded = facts_.memory_exceeded;
  event.ending.in_namespace = report.in_namespace != 0;
  if (limits_.jail) event.ending.isolation = limits_.jail->level;
  events.push_back(std::move(event));
  return true;
}

void Child::check_deadline(int64_t now_ns) {
  if (now_ns < deadline_ns_) return;
  if (terminating_) {
    signal_keeper(SIGKILL);
    deadline_ns_ = INT64_MAX;
    return;
  }
  if (!facts_.output_exceeded) facts_.timed_out = true;
  terminate(now_ns);
}

void Child::stop(int64_t now_ns) {
  facts_.stopped = true;
  terminate(now_ns);
}

uint64_t Child::resident_bytes() const {
  uint64_t total = 0;
  for (const Resident& each : residents()) total += each.bytes;
  return total;
}

std::optional<HeldMemory> Child::held_memory() const {
  HeldMemory held{0, 0};
  for (const Resident& each : residents()) {
    if (each.bytes == 0) continue;  // it has just ended, and nobody knows what it shares
    auto text = system_disk().read(fmt::format("/proc/{}/smaps_rollup", each.pid));
    const auto pss_kib = number_after(text.value_or(""), "Pss:");
    held.rss_bytes += each.bytes;
    if (pss_kib && held.pss_bytes)
      *held.pss_bytes += *pss_kib * 1024;
    else
      held.pss_bytes.reset();
  }
  if (held.rss_bytes == 0) return std::nullopt;
  return held;
}

std::vector<Child::Resident> Child::residents() const {
  if (!keeper_) return {};
  std::vector<Resident> all;
  // A fork bomb's thousands are not worth counting: it is ended for other reasons.
  constexpr size_t kMost = 256;
  auto add_below = [&](pid_t parent, uint64_t parents_bytes) {
    for (const pid_t pid : children_of(parent)) {
      const uint64_t bytes = resident_bytes_of(pid);
      // One that holds exactly what its parent does has only just come of it: until it becomes
      // another program, all of that is the parent's.
      all.push_back({pid, bytes, bytes == parents_bytes ? 0 : bytes});
    }
  };
  add_below(keeper_pid_, 0);
  for (size_t seen = 0; seen < all.size() && seen < kMost; ++seen)
    add_below(all[seen].pid, all[seen].all_bytes);
  all.resize(std::min(all.size(), kMost));
  return all;
}

Result<ProcessMemory> Child::open_memory() const {
  // The worker is the keeper's first child; who was orphaned comes behind it.
  const std::vector<pid_t> children = keeper_ ? children_of(keeper_pid_) : std::vector<pid_t>{};
  if (children.empty()) return error(Code::unavailable, "the child has ended");
  const std::string path = fmt::format("/proc/{}/", children.front());
  ProcessMemory memory;
  memory.process = children.front();
  memory.bytes = UniqueFd(::open((path + "mem").c_str(), O_RDWR | O_CLOEXEC));
  if (!memory.bytes) return errno_error("open " + path + "mem");
  memory.pages = UniqueFd(::open((path + "pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory.pages && errno != ENOENT) return errno_error("open " + path + "pagemap");
  return memory;
}

void Child::terminate(int64_t now_ns) {
  if (terminating_) return;
  terminating_ = true;
  if (jail_) jail_->freezer->close();  // what is frozen hears no signal
  deadline_ns_ = now_ns + kReportPatienceNs;
  signal_keeper(SIGTERM);
}

void Child::protocol_problem(const std::string& problem, int64_t now_ns) {
  if (!facts_.protocol_problem.empty()) return;
  facts_.protocol_problem = problem;
  terminate(now_ns);
}

void Child::signal_keeper(int number) {
  if (keeper_) ::syscall(SYS_pidfd_send_signal, keeper_.get(), number, nullptr, 0);
}

bool reap(const UniqueFd& pidfd, bool wait) {
  siginfo_t ended{};
  int options = wait ? WEXITED : WEXITED | WNOHANG;
  int result = ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &ended, options);
  return result != 0 || ended.si_pid != 0;
}

}  // namespace assay
