#include "sandbox/process_spawner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/disk.h"
#include "base/interruptions.h"

namespace assay {
namespace {

constexpr int64_t kStopPatienceNs = 500'000'000;

// A zygote serves all that ask for its program with its arguments in its environment.
std::string key_of(const Image& image) {
  std::string key = image.name;
  for (const std::string& argument : image.argv) key += '\0' + argument;
  key += '\0';
  for (const std::string& variable : image.environment) key += '\0' + variable;
  return key;
}

// The frame and copies of the descriptors, to be sent when the child is ready for them.
Result<Outgoing> outgoing(const Json& body, const std::vector<int>& descriptors,
                          const std::string& next) {
  std::string text = dump_json(body);
  assert(descriptors.size() <= wire::kMaxDescriptors);
  if (text.size() > wire::kMaxJobBytes)
    return error(Code::invalid_input,
                 fmt::format("a message of {} bytes is longer than the {} a worker is given",
                             text.size(), wire::kMaxJobBytes),
                 next);
  Outgoing frame{wire::frame(text), {}};
  for (int fd : descriptors) {
    frame.descriptors.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!frame.descriptors.back()) return errno_error("pass a descriptor to a worker");
  }
  return frame;
}

Event never_forked(ChildId child, std::string why) {
  Event end;
  end.kind = Event::Kind::ended;
  end.child = child;
  end.ending.message = std::move(why);
  return end;
}

}  // namespace

// What a descriptor in the poll set belongs to.
struct ProcessSpawner::Watched {
  enum class Kind { signals, wakes, zygote_hello, zygote_output, channel, output, report };
  Kind kind;
  Zygotes::value_type* zygote = nullptr;
  bool is_successor = false;
  ChildId child = 0;
};

Result<std::unique_ptr<ProcessSpawner>> ProcessSpawner::create(std::string scratch_root) {
  const sigset_t wanted = ending_signals();
  if (::sigprocmask(SIG_BLOCK, &wanted, nullptr) != 0) return errno_error("block signals");
  UniqueFd signals(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals) return errno_error("watch for signals");
  UniqueFd wakes(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wakes) return errno_error("make an event descriptor");
  ASSAY_TRY(system_disk().remove_all(scratch_root));
  ASSAY_TRY(system_disk().make_directories(scratch_root));
  return std::unique_ptr<ProcessSpawner>(
      new ProcessSpawner(std::move(scratch_root), std::move(signals), std::move(wakes)));
}

ProcessSpawner::ProcessSpawner(std::string scratch_root, UniqueFd signals, UniqueFd wakes)
    : scratch_root_(std::move(scratch_root)),
      signals_(std::move(signals)),
      wakes_(std::move(wakes)) {}

ProcessSpawner::~ProcessSpawner() {
  stop_all();
  zygotes_.clear();
  successors_.clear();
  (void)system_disk().remove_all(scratch_root_);
}

Result<ChildId> ProcessSpawner::start(const Image& image, const Limits& limits, const Job& job) {
  ASSAY_ASSIGN(Outgoing frame, outgoing(job.body, job.descriptors,
                                        "shorten the path of the problem, or the target's flags"));
  std::string key = key_of(image);
  ChildId id = ++last_id_;
  auto lost = [&](const Error& why) -> Result<ChildId> {
    if (!came_up_.contains(image.name)) return std::unexpected(why);
    events_.push_back(never_forked(id, why.message));
    return id;
  };
  auto found = zygote(key, image);
  if (!found) return lost(found.error());
  std::optional<JailStart> jail;
  if (limits.jail) {
    auto prepared = prepare_jail(id, *limits.jail);
    if (!prepared) {
      events_.push_back(
          never_forked(id, "it could not be put into its jail: " + prepared.error().message));
      return id;
    }
    jail = std::move(*prepared);
  }
  children_[id] = std::make_unique<Child>(id, limits, std::move(frame), std::move(jail),
                                          join_path(scratch_root_, fmt::format("{}", id)));
  (*found)->second.waiting.push_back(id);
  if (!(*found)->second.process.ready()) return id;
  if (fork_waiting((*found)->second)) return id;
  // A zygote that served before and then died (killed from outside, say) is worth one fresh start.
  zygotes_.erase(*found);
  found = zygote(key, image);
  if (!found) {
    children_.erase(id);
    return lost(found.error());
  }
  (*found)->second.waiting.push_back(id);
  return id;
}

void ProcessSpawner::start_image(const Image& image) { (void)zygote(key_of(image), image); }

auto ProcessSpawner::zygote(const std::string& key, const Image& image)
    -> Result<Zygotes::iterator> {
  auto found = zygotes_.find(key);
  if (found != zygotes_.end()) return found;
  // The old one may have died before its successor was ready.
  if (auto successor = successors_.extract(key))
    return zygotes_.insert(std::move(successor)).position;
  ASSAY_ASSIGN(Zygote started, start_zygote(image));
  // Those with packages hold hundreds of megabytes more than the plain one: the last is kept.
  std::erase_if(zygotes_, [&](const auto& entry) {
    const Zygote& other = entry.second;
    return !image.argv_otherwise.empty() && !other.image.argv_otherwise.empty() &&
           other.image.name == image.name && other.image.environment == image.environment &&
           other.waiting.empty();
  });
  return zygotes_.emplace(key, std::move(started)).first;
}

auto ProcessSpawner::start_zygote(const Image& image) -> Result<Zygote> {
  ASSAY_ASSIGN(ImageProcess process, ImageProcess::start(image));
  return Zygote{image, std::move(process), ++last_zygote_};
}

void ProcessSpawner::renew() {
  for (auto& [key, zygote] : zygotes_) {
    const unsigned most = zygote.image.forks_until_renewed;
    if (most == 0 || zygote.forks < most || successors_.contains(key)) continue;
    if (auto started = start_zygote(zygote.image))
      successors_.emplace(key, std::move(*started));
    else
      zygote.forks = 0;
  }
}

size_t ProcessSpawner::coming_up() const {
  const auto first = std::ranges::count_if(
      zygotes_, [](const auto& entry) { return !entry.second.process.ready(); });
  return static_cast<size_t>(first) + successors_.size();
}

void ProcessSpawner::let_successors_take_over() {
  for (auto next = successors_.begin(); next != successors_.end();) {
    const auto successor = next++;
    if (!successor->second.process.ready()) continue;
    zygotes_.erase(successor->first);
    zygotes_.insert(successors_.extract(successor));
  }
}

// An image that never came up is a fault of the installation, and nothing can go on. One that did
// is short of memory or of time now, and costs nobody but those that wait for it.
Status ProcessSpawner::do_without(NotUp zygote) {
  Zygotes& among = zygote.is_successor ? successors_ : zygotes_;
  auto found = among.find(zygote.key);
  if (Image image = found->second.image; !image.argv_otherwise.empty()) {
    image.argv = std::exchange(image.argv_otherwise, {});
    ASSAY_ASSIGN(Zygote plain, start_zygote(image));
    plain.waiting = std::move(found->second.waiting);
    among.erase(found);
    among.emplace(zygote.key, std::move(plain));
    return {};
  }
  if (!came_up_.contains(found->second.image.name)) return std::unexpected(std::move(zygote.why));
  if (zygote.is_successor) {
    successors_.erase(found);
    if (auto old = zygotes_.find(zygote.key); old != zygotes_.end()) old->second.forks = 0;
    return {};
  }
  for (ChildId id : found->second.waiting) {
    children_.erase(id);
    events_.push_back(never_forked(id, zygote.why.message));
  }
  zygotes_.erase(found);
  return {};
}

Status ProcessSpawner::send(ChildId child, const Json& body, const std::vector<int>& descriptors) {
  ASSAY_ASSIGN(Outgoing frame, outgoing(body, descriptors, ""));
  auto found = children_.find(child);
  if (found != children_.end()) found->second->send(std::move(frame), now_ns());
  return {};
}

void ProcessSpawner::wake() {
  uint64_t one = 1;
  // Fails only where 2^64 calls have not been seen yet: then it is awake.
  [[maybe_unused]] ssize_t written = ::write(wakes_.get(), &one, sizeof one);
}

Result<JailStart> ProcessSpawner::prepare_jail(ChildId id, const JailSpec& spec) {
  JailStart start;
  JailMeans means;
  means.as_root = can_give_users();
  if (spec.level == Isolation::L3) {
    if (!groups_) {
      ASSAY_ASSIGN(groups_, JailGroups::find());
    }
    if (!means.as_root) return error(Code::unavailable, "users of their own are root's to give");
    ASSAY_ASSIGN(start.group, groups_->create(fmt::format("{}", id), spec));
    means.memory_in_group = start.group->limits_memory();
    start.freezer = start.group->freezer();
  }
  start.namespaces = jail_namespaces(spec.level, means.as_root);
  ASSAY_ASSIGN(start.layout, jail_layout(spec, means));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("make a socket for a keeper");
  UniqueFd ours(ends[0]);
  start.keeper_end = UniqueFd(ends[1]);
  if (!start.freezer) start.freezer = keeper_freezer(std::move(ours));
  return start;
}

Status ProcessSpawner::fork_waiting(Zygote& zygote) {
  while (!zygote.waiting.empty()) {
    ASSAY_TRY(
        children_.at(zygote.waiting.front())->fork_from(zygote.process, zygote.number, now_ns()));
    zygote.waiting.erase(zygote.waiting.begin());
    ++zygote.forks;
  }
  return {};
}

int ProcessSpawner::milliseconds_to_deadline() const {
  int64_t nearest = INT64_MAX;
  for (const auto& [id, child] : children_)
    if (child->forked()) nearest = std::min(nearest, child->deadline_ns());
  for (const Zygotes* zygotes : {&zygotes_, &successors_})
    for (const auto& [key, zygote] : *zygotes)
      if (!zygote.process.ready()) nearest = std::min(nearest, zygote.process.start_deadline_ns());
  if (nearest == INT64_MAX) return -1;
  return static_cast<int>(std::clamp<int64_t>((nearest - now_ns()) / 1'000'000 + 1, 0, 1'000'000));
}

Status ProcessSpawner::poll_once(int timeout_ms) {
  std::vector<pollfd> polled;
  std::vector<Watched> watched;
  auto watch = [&](int fd, Watched what) {
    if (fd < 0) return;
    polled.push_back({fd, POLLIN, 0});
    watched.push_back(what);
  };
  using Kind = Watched::Kind;
  watch(signals_.get(), {Kind::signals});
  watch(wakes_.get(), {Kind::wakes});
  for (Zygotes* zygotes : {&zygotes_, &successors_})
    for (auto& entry : *zygotes) {
      const ImageProcess& process = entry.second.process;
      const bool is_successor = zygotes == &successors_;
      if (!process.ready()) watch(process.control_fd(), {Kind::zygote_hello, &entry, is_successor});
      watch(process.output_fd(), {Kind::zygote_output, &entry, is_successor});
    }
  for (const auto& [id, child] : children_) {
    if (!child->forked()) continue;
    watch(child->channel_fd(), {Kind::channel, nullptr, false, id});
    watch(child->output_fd(), {Kind::output, nullptr, false, id});
    watch(child->report_fd(), {Kind::report, nullptr, false, id});
  }
  if (::poll(polled.data(), polled.size(), timeout_ms) < 0 && errno != EINTR)
    return errno_error("wait for children");

  std::vector<NotUp> not_up;
  for (size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    const Watched& what = watched[i];
    auto child = children_.find(what.child);
    if (what.child != 0 && child == children_.end()) continue;  // ended earlier in this round
    switch (what.kind) {
      case Kind::signals: {
        signalfd_siginfo info;
        while (::read(signals_.get(), &info, sizeof info) == sizeof info) interrupted_ = true;
        break;
      }
      case Kind::wakes: {
        uint64_t calls = 0;
        woken_ = ::read(wakes_.get(), &calls, sizeof calls) == sizeof calls;
        break;
      }
      case Kind::zygote_hello: {
        auto& [key, zygote] = *what.zygote;
        Status up = zygote.process.read_hello();
        if (up) {
          came_up_.insert(zygote.image.name);
          up = fork_waiting(zygote);
        }
        if (!up) not_up.push_back({key, what.is_successor, std::move(up).error()});
        break;
      }
      case Kind::zygote_output:
        what.zygote->second.process.read_output();
        break;
      case Kind::channel:
        child->second->read_channel(events_, now_ns());
        break;
      case Kind::output:
        child->second->read_output();
        break;
      case Kind::report:
        if (child->second->read_report(events_, now_ns())) {
          leaving_.push_back(child->second->take_keeper());
          children_.erase(child);
        }
        break;
    }
  }
  std::erase_if(leaving_, [](const UniqueFd& keeper) { return reap(keeper, /*wait=*/false); });
  for (auto& [id, child] : children_)
    if (child->forked()) child->check_deadline(now_ns());
  for (NotUp& each : not_up) ASSAY_TRY(do_without(std::move(each)));
  not_up.clear();
  for (Zygotes* zygotes : {&zygotes_, &successors_})
    for (auto& [key, zygote] : *zygotes)
      if (!zygote.process.ready() && now_ns() >= zygote.process.start_deadline_ns())
        not_up.push_back(
            {key, zygotes == &successors_, zygote.process.failure("did not come up in time")});
  for (NotUp& each : not_up) ASSAY_TRY(do_without(std::move(each)));
  let_successors_take_over();
  return {};
}

Result<Event> ProcessSpawner::next(int64_t patience_ns) {
  int64_t until_ns = now_ns() + patience_ns;
  while (events_.empty()) {
    Event event;
    event.kind = Event::Kind::interrupted;
    if (interrupted_) return event;
    event.kind = Event::Kind::nothing;
    if (std::exchange(woken_, false)) return event;
    int64_t left_ns = until_ns - now_ns();
    if (left_ns <= 0) return event;
    int patience_ms = static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, 1'000'000));
    int deadline_ms = milliseconds_to_deadline();
    ASSAY_TRY(poll_once(deadline_ms < 0 ? patience_ms : std::min(patience_ms, deadline_ms)));
  }
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

bool ProcessSpawner::interrupted() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) interrupted_ = true;
  return interrupted_;
}

Fork ProcessSpawner::fork_of(ChildId child) const {
  auto found = children_.find(child);
  return found == children_.end() ? Fork{} : found->second->fork_facts();
}

std::shared_ptr<Freezer> ProcessSpawner::freezer(ChildId child) const {
  auto found = children_.find(child);
  return found == children_.end() ? nullptr : found->second->freezer();
}

Result<ProcessMemory> ProcessSpawner::open_memory(ChildId child) const {
  auto found = children_.find(child);
  if (found == children_.end()) return error(Code::unavailable, "the child has ended");
  return found->second->open_memory();
}

uint64_t ProcessSpawner::resident_bytes(ChildId child) const {
  auto found = children_.find(child);
  return found == children_.end() ? 0 : found->second->resident_bytes();
}

std::optional<HeldMemory> ProcessSpawner::held_memory(ChildId child) const {
  auto found = children_.find(child);
  if (found == children_.end()) return std::nullopt;
  return found->second->held_memory();
}

void ProcessSpawner::stop(ChildId child) {
  auto found = children_.find(child);
  if (found == children_.end()) return;
  if (found->second->forked()) {
    found->second->stop(now_ns());
    return;
  }
  for (auto& [key, zygote] : zygotes_) std::erase(zygote.waiting, child);
  children_.erase(found);
  Event end = never_forked(child, "it was stopped before it had begun");
  end.ending.kind = EndKind::stopped;
  events_.push_back(std::move(end));
}

void ProcessSpawner::stop_all() {
  for (auto& [name, zygote] : zygotes_) zygote.waiting.clear();
  std::erase_if(children_, [](const auto& entry) { return !entry.second->forked(); });
  for (auto& [id, child] : children_) child->stop(now_ns());
  int64_t patience = now_ns() + kStopPatienceNs;
  while (!children_.empty() && now_ns() < patience) {
    if (!poll_once(20)) break;
  }
  children_.clear();  // kills the keepers that did not report in time
  for (const UniqueFd& keeper : leaving_) reap(keeper, /*wait=*/true);
  leaving_.clear();
  events_.clear();
}

}  // namespace assay
