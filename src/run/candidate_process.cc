#include "run/candidate_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/escape.h"
#include "run/outcome.h"
#include "sandbox/freezer.h"
#include "sandbox/futex.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// How long a wait for the runner lasts before it is asked whether it still lives.
constexpr int64_t kLookEveryNs = 10'000'000;
// How soon the end of a runner that cannot be stopped any more is known.
constexpr int64_t kEndWithinNs = 5'000'000'000;
// Of each fact that goes into the record.
constexpr size_t kMaxFactBytes = 500;
// How long a call may take to be queued behind a gate, beside so much for each: those that do not
// wait for the card take some milliseconds at most (docs/gpu.md).
constexpr int64_t kPatienceNs = 150'000'000, kPatienceOfCallNs = 15'000'000;

// The sheet, with the device, how far slots lie apart, and whose memory each tensor is to be in
// when the candidate is called.
Json completed(Json sheet, const CandidateJob& job) {
  for (const char* list : {"inputs", "outputs", "constants"})
    for (Json& leaf : sheet[list])
      if (leaf.is_object() && leaf.contains("shape"))
        leaf["memory_kind"] = to_word(kMemoryKindWords, job.device.memory);
  sheet["device"] = to_json(job.device);
  sheet["slots"] = job.inputs->slots();
  if (job.in_place) sheet["in_place"] = to_word(kResultsAreWords, job.results);
  sheet["slot_bytes"] = {{"inputs", job.inputs->slot_bytes()},
                         {"inout", job.inout->slot_bytes()},
                         {"outputs", job.outputs->slot_bytes()}};
  return sheet;
}

StageRecord broke_protocol(const std::string& how) {
  return failed_stage(Stage::verify, FailureClass::protocol, how);
}

}  // namespace

std::variant<Json, StageRecord, ExtensionRequest> read_ready(const Json& message,
                                                             const Device& device) {
  if (message.is_object() && message.contains("needs")) {
    auto request = extension_from_json(message["needs"]);
    if (!request) return broke_protocol(request.error().message);
    return std::move(*request);
  }
  if (!message.is_object() || !message.contains("ready") || message["ready"] != true) {
    StageRecord record = stage_from_answer(Stage::verify, message);
    const bool raised =
        record.failure == FailureClass::load || record.failure == FailureClass::setup;
    if (raised && message.value("not_here", Json()) == true) record.evidence["not_here"] = true;
    if (record.status != StageStatus::ok) return record;
    return broke_protocol("its runner was through before the candidate was called");
  }
  JsonReader fields(message, "a runner's first answer");
  auto served = device_from_json(fields.value("device"));
  if (!served || *served != device)
    return broke_protocol(fmt::format("its runner was asked for {}, and serves {}",
                                      in_words(device),
                                      served ? in_words(*served) : "none that it names"));
  Json facts{{"device", to_json(device)}};
  for (const char* name : {"parameters", "why", "beside", "driver", "device_name", "card"})
    if (auto text = fields.optional_text(name))
      facts[name] = printable(text->substr(0, kMaxFactBytes), false);
  if (fields.has("beside_elements")) facts["beside_elements"] = fields.integer("beside_elements");
  if (!fields.status()) return broke_protocol(fields.status().error().message);
  return facts;
}

Window read_page(const ControlPage& page) {
  Window window;
  uint32_t count = std::min<uint32_t>(read_once(page.output_count), ControlPage::kMaxOutputs);
  window.reported.assign(page.outputs, page.outputs + count);
  uint32_t bytes = std::min<uint32_t>(read_once(page.text_bytes), ControlPage::kMaxTextBytes);
  window.text = printable(std::string(page.text, bytes), true);
  window.status = read_once(page.status);
  switch (static_cast<WindowOutcome>(read_once(page.outcome))) {
    case WindowOutcome::finished:
      window.kind = Window::Kind::finished;
      return window;
    case WindowOutcome::declined:
      window.kind = Window::Kind::declined;
      return window;
    case WindowOutcome::odd:
      window.kind = Window::Kind::odd;
      return window;
    case WindowOutcome::out_of_memory:
      window.failure = FailureClass::out_of_memory;
      break;
    case WindowOutcome::disk_full:
      window.failure = FailureClass::disk_full;
      break;
    case WindowOutcome::not_here:
      window.not_here = true;
      break;
    case WindowOutcome::raised:
      break;
  }
  window.kind = Window::Kind::raised;
  if (window.text.empty()) window.text = "it raised an exception that says nothing";
  return window;
}

Result<CandidateProcess::Started> CandidateProcess::start(Children& children,
                                                          const CandidateJob& job) {
  ASSAY_ASSIGN(UniqueFd page_file, empty_memory_file("assay-control"));
  if (::ftruncate(page_file.get(), ControlPage::kBytes) != 0)
    return errno_error("make a control page");
  void* mapped =
      ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_file.get(), 0);
  if (mapped == MAP_FAILED) return errno_error("map a control page");
  auto* page = new (mapped) ControlPage{};
  if (::fcntl(page_file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return errno_error("seal a control page");

  std::unique_ptr<cuda::Mirror> mirror;
  Json written = completed(job.sheet, job);
  if (job.device.kind == kCudaDevice) {
    auto made = cuda::Mirror::create(*job.inputs, *job.inout, *job.outputs);
    Status ready;
    if (!made)
      ready = std::unexpected(made.error());
    else if (job.is_timed)
      ready = (*made)->time_itself();
    if (!ready) return not_judged_stage(Stage::verify, ready.error().message);
    mirror = std::move(*made);
    written["card"] = mirror->layout();
  }
  ASSAY_ASSIGN(UniqueFd sheet, sealed_memory_file("assay-sheet", dump_json(written)));
  Job first;  // the memory that the sheet speaks of, in the order that runners expect
  first.body = {{"job", "windows"}};
  first.descriptors = {sheet.get(),     page_file.get(),     job.inputs->fd(), job.outputs->fd(),
                       job.inout->fd(), job.constants->fd(), job.candidate_fd};
  first.descriptors.insert(first.descriptors.end(), job.extensions.begin(), job.extensions.end());
  if (job.left_fd >= 0) first.descriptors.push_back(job.left_fd);
  if (job.written_fd >= 0) first.descriptors.push_back(job.written_fd);
  if (mirror) first.descriptors.push_back(mirror->fd());
  ASSAY_ASSIGN(ChildId child, children.start(job.image, job.limits, first));
  std::unique_ptr<CandidateProcess> runner(
      new CandidateProcess(children, child, std::move(page_file), page));
  runner->mirror_ = std::move(mirror);

  while (true) {
    ASSAY_ASSIGN(Event event, children.next(child, job.limits.timeout_ns));
    if (event.kind == Event::Kind::nothing) continue;  // its deadline will end it
    if (event.kind == Event::Kind::ended) {
      runner->running_ = false;
      StageRecord record = stage_from_ending(Stage::verify, event.ending);
      const bool has_begun = !job.may_not_start || page->begun.load() != 0;
      if (record.failure == FailureClass::crash && !has_begun)
        record = not_judged_stage(Stage::verify,
                                  "its runner did not come to the candidate: " + record.error);
      add_costs(record, event.ending);
      return record;
    }
    auto said = read_ready(event.message, job.device);
    if (auto* finding = std::get_if<StageRecord>(&said)) {
      add_printed(*finding, event.printed);
      return std::move(*finding);
    }
    if (auto* request = std::get_if<ExtensionRequest>(&said)) return std::move(*request);
    runner->facts_ = std::move(std::get<Json>(said));
    break;
  }
  runner->freezer_ = children.freezer(child);
  runner->ready_ns_ = now_ns();
  runner->fork_ = children.fork_of(child);
  auto stop_it = [&]() -> Status {
    runner->is_timed_ = job.is_timed;
    if (job.in_place) {
      ASSAY_ASSIGN(ProcessMemory memory, children.open_memory(child));
      runner->results_.emplace(std::move(memory), *page);
    }
    return runner->freeze();
  };
  if (Status stopped = stop_it(); !stopped) {
    ASSAY_ASSIGN(Ending ending, runner->end_behind(stopped.error(), kEndWithinNs));
    StageRecord record = stage_from_ending(Stage::verify, ending);
    add_costs(record, ending);
    return record;
  }
  return runner;
}

CandidateProcess::CandidateProcess(Children& children, ChildId child, UniqueFd page_file,
                                   ControlPage* page)
    : children_(children), child_(child), page_file_(std::move(page_file)), page_(page) {}

Result<int> CandidateProcess::process() const {
  ASSAY_ASSIGN(const ProcessMemory memory, children_.open_memory(child_));
  return memory.process;
}

CandidateProcess::~CandidateProcess() {
  if (running_) children_.forget(child_);
  ::munmap(page_, ControlPage::kBytes);
}

Status CandidateProcess::freeze() { return freezer_ ? freezer_->freeze() : Status{}; }
Result<JailTimes> CandidateProcess::used() {
  JailTimes used;
  if (!freezer_) return used;
  if (is_timed_) return freezer_->times();
  ASSAY_ASSIGN(used.cpu_ns, freezer_->cpu_ns());
  return used;
}
Status CandidateProcess::thaw() { return freezer_ ? freezer_->thaw() : Status{}; }

Result<Ending> CandidateProcess::end() {
  if (!running_) return Ending{};
  children_.stop(child_);
  auto ending = end_behind({Code::unavailable, "a runner does not end", "", {}}, kEndWithinNs);
  if (ending || ending.error().code == Code::interrupted) return ending;
  return Ending{};
}

Result<Ending> CandidateProcess::finish(int64_t timeout_ns) {
  if (!running_) return Ending{};
  page_->go.store(ControlPage::kEnd, std::memory_order_release);
  ASSAY_TRY(thaw());
  sandbox::wake_all(page_->go);
  const Error late{Code::unavailable, "it does not end by itself", "", {}};
  auto ending = end_behind(late, timeout_ns);
  if (ending || ending.error().code == Code::interrupted) return ending;
  return end();
}

// With a runner the means of stopping it go: how it ended, where that is what failed.
Result<Ending> CandidateProcess::end_behind(const Error& failure, int64_t timeout_ns) {
  if (failure.code == Code::interrupted) return std::unexpected(failure);
  int64_t deadline_ns = now_ns() + timeout_ns;
  while (now_ns() < deadline_ns) {
    ASSAY_ASSIGN(Event event, children_.next(child_, kLookEveryNs));
    if (event.kind != Event::Kind::ended) continue;
    running_ = false;
    return std::move(event.ending);
  }
  return std::unexpected(failure);
}

Result<Window> CandidateProcess::window(int64_t timeout_ns, WindowKind kind, uint32_t calls) {
  page_->kind.store(kind, std::memory_order_relaxed);
  page_->calls.store(calls, std::memory_order_relaxed);
  // Where nothing is called, time is all that is asked for.
  const bool moves = mirror_ && (is_timed_ || kind != WindowKind::null);
  const bool has_gate = moves && is_gated_ && kind != WindowKind::watched;
  page_->gate.store(has_gate ? ++gates_ : 0, std::memory_order_relaxed);
  if (moves) ASSAY_TRY(mirror_->prepare(calls));
  auto window = hold_window(timeout_ns, moves, calls);
  if (window) return window;
  Window last;
  last.kind = Window::Kind::ended;
  ASSAY_ASSIGN(last.ending, end_behind(window.error(), kEndWithinNs));
  return last;
}

Result<Window> CandidateProcess::hold_window(int64_t timeout_ns, bool moves, uint32_t calls) {
  Window window;
  uint32_t number = ++last_window_;
  const uint32_t gate = page_->gate.load(std::memory_order_relaxed);
  ASSAY_ASSIGN(const JailTimes before, used());
  int64_t begin_ns = now_ns();
  if (moves && gate == 0) ASSAY_TRY(mirror_->write_inputs());
  page_->go.store(number, std::memory_order_release);
  ASSAY_TRY(thaw());
  sandbox::wake_all(page_->go);
  bool done = false;
  if (gate != 0) {
    const int64_t patience_ns = kPatienceNs + calls * kPatienceOfCallNs;
    ASSAY_ASSIGN(done, wait_until_done(number, begin_ns + patience_ns, window));
    window.waits = !done;
    if (window.waits && window.kind != Window::Kind::ended) ASSAY_TRY(mirror_->open(gate));
  }
  if (!done && window.kind != Window::Kind::ended) {
    ASSAY_ASSIGN(done, wait_until_done(number, begin_ns + timeout_ns, window));
  }
  if (window.kind == Window::Kind::ended) return window;
  const bool is_queued = gate != 0 && !window.waits;
  bool has_ended_on_card = true;
  if (moves && done && !is_queued) {
    // Behind a gate `done` says that calls have returned, also of who waited for the card in one.
    // What has raised may have broken the card, for itself: its word need not come.
    if (gate != 0 && read_page(*page_).kind == Window::Kind::finished) {
      ASSAY_ASSIGN(has_ended_on_card,
                   mirror_->take_sample_behind(gate, begin_ns + timeout_ns - now_ns()));
    } else {
      ASSAY_TRY(mirror_->take_sample());
    }
  }
  ASSAY_TRY(freeze());
  int64_t wall_ns = now_ns() - begin_ns;
  ASSAY_ASSIGN(const JailTimes after, used());
  const bool waits = window.waits;
  if (done) window = read_page(*page_);
  window.waits = waits;
  window.wall_ns = wall_ns;
  window.used.cpu_ns = after.cpu_ns - before.cpu_ns;
  if (after.process_cpu_ns)
    window.used.process_cpu_ns = *after.process_cpu_ns - before.process_cpu_ns.value_or(0);
  window.used.waited_ns = after.waited_ns - before.waited_ns;
  window.submitted = page_->submitted.load(std::memory_order_acquire) == number;
  if (!done || !has_ended_on_card) {
    window.kind = Window::Kind::timed_out;
  } else if (moves && window.kind == Window::Kind::finished) {
    ASSAY_TRY(end_on_card(begin_ns + timeout_ns - now_ns(), is_queued, window));
  } else if (is_queued) {
    ASSAY_TRY(mirror_->open(gate));  // what is queued may end
  }
  return window;
}

// The candidate stands still. What is queued behind a gate is done now.
Status CandidateProcess::end_on_card(int64_t timeout_ns, bool is_queued, Window& window) {
  if (is_queued) {
    ASSAY_ASSIGN(const auto wall_ns, mirror_->measure(gates_, timeout_ns));
    if (!wall_ns) {
      window.kind = Window::Kind::timed_out;
      window.submitted = true;
      return {};
    }
    window.wall_ns = *wall_ns;
  }
  ASSAY_ASSIGN(const bool are_as_written, mirror_->read_back());
  window.wrote_inputs = !are_as_written;
  return {};
}

// True: the runner says so. False: the time is up, or the window says that it has ended.
Result<bool> CandidateProcess::wait_until_done(uint32_t number, int64_t deadline_ns,
                                               Window& window) {
  while (true) {
    uint32_t done = page_->done.load(std::memory_order_acquire);
    if (done == number) return true;
    int64_t left_ns = deadline_ns - now_ns();
    if (left_ns <= 0) return false;
    sandbox::sleep_while(page_->done, done, std::min(left_ns, kLookEveryNs));
    ASSAY_ASSIGN(Event event, children_.next(child_, 0));
    if (event.kind == Event::Kind::ended) {
      running_ = false;
      window.kind = Window::Kind::ended;
      window.ending = std::move(event.ending);
      return false;
    }
    // A message at this point is nobody's: it says what the control page should.
  }
}

}  // namespace assay
