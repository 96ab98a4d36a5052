#include "run/candidate_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
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
// How long the end of a runner that cannot be stopped any more may take to be known.
constexpr int64_t kEndPatienceNs = 2'000'000'000;

// What a runner may say of itself: text, which goes into the record. Anything else it says is
// nobody's concern.
Json facts_in(const Json& ready) {
  constexpr size_t kMostBytes = 500;
  Json facts = Json::object();
  for (const char* name : {"parameters", "why", "beside"}) {
    auto said = ready.find(name);
    if (said == ready.end() || !said->is_string()) continue;
    facts[name] = printable(said->get_ref<const std::string&>().substr(0, kMostBytes), false);
  }
  return facts;
}

bool is_ready(const Json& message) {
  return message.is_object() && message.contains("ready") && message["ready"] == true;
}

int64_t now() { return system_clock().now_ns(); }

}  // namespace

Result<std::variant<std::unique_ptr<CandidateProcess>, StageRecord>> CandidateProcess::start(
    Children& children, const CandidateJob& job) {
  ASSAY_ASSIGN(UniqueFd page_file, empty_memory_file("assay-control"));
  if (::ftruncate(page_file.get(), ControlPage::kBytes) != 0)
    return errno_error("make a control page");
  void* mapped =
      ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_file.get(), 0);
  if (mapped == MAP_FAILED) return errno_error("map a control page");
  auto* page = new (mapped) ControlPage{};
  if (::fcntl(page_file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return errno_error("seal a control page");

  ASSAY_ASSIGN(UniqueFd sheet, sealed_memory_file("assay-sheet", dump_json(job.sheet)));
  Job first;  // the memory that the sheet speaks of, in the order that runners expect
  first.body = {{"job", "windows"}};
  first.descriptors = {sheet.get(),     page_file.get(),     job.inputs->fd(), job.outputs->fd(),
                       job.inout->fd(), job.constants->fd(), job.candidate_fd};
  ASSAY_ASSIGN(ChildId child, children.start(job.image, job.limits, first));
  std::unique_ptr<CandidateProcess> runner(
      new CandidateProcess(children, child, std::move(page_file), page));

  while (true) {
    ASSAY_ASSIGN(Event event, children.next(child, job.limits.timeout_ns));
    if (event.kind == Event::Kind::nothing) continue;  // its deadline will end it
    if (event.kind == Event::Kind::ended) {
      runner->running_ = false;
      StageRecord record = stage_from_ending(Stage::verify, event.ending);
      add_costs(record, event.ending);
      return record;
    }
    if (!is_ready(event.message)) {
      // Code that nobody trusts has run by now and could have said this: that it is good is never
      // its own word.
      StageRecord record = stage_from_answer(Stage::verify, event.message);
      if (record.status == StageStatus::ok)
        return failed_stage(Stage::verify, FailureClass::protocol,
                            "said that it had ended before it was asked for anything");
      return record;
    }
    runner->facts_ = facts_in(event.message);
    break;
  }
  runner->freezer_ = children.freezer(child);
  if (Status frozen = runner->freeze(); !frozen) {
    ASSAY_ASSIGN(Ending ending, runner->ending_behind(frozen.error()));
    StageRecord record = stage_from_ending(Stage::verify, ending);
    add_costs(record, ending);
    return record;
  }
  return runner;
}

CandidateProcess::CandidateProcess(Children& children, ChildId child, UniqueFd page_file,
                                   ControlPage* page)
    : children_(children), child_(child), page_file_(std::move(page_file)), page_(page) {}

CandidateProcess::~CandidateProcess() {
  if (running_) children_.forget(child_);
  ::munmap(page_, ControlPage::kBytes);
}

Status CandidateProcess::freeze() { return freezer_ ? freezer_->freeze() : Status{}; }
Result<int64_t> CandidateProcess::cpu_ns() { return freezer_ ? freezer_->cpu_ns() : 0; }
Status CandidateProcess::thaw() { return freezer_ ? freezer_->thaw() : Status{}; }

Result<Window> CandidateProcess::window(int64_t timeout_ns) {
  Result<Window> window = open_window(timeout_ns);
  if (window || !running_) return window;
  Window ended;
  ASSAY_ASSIGN(ended.ending, ending_behind(window.error()));
  ended.kind = Window::Kind::ended;
  return ended;
}

// What cannot be stopped has most often ended, which is the candidate's doing and no fault of ours.
Result<Ending> CandidateProcess::ending_behind(const Error& failure) {
  for (const int64_t until_ns = now() + kEndPatienceNs; now() < until_ns;) {
    ASSAY_ASSIGN(Event event, children_.next(child_, kLookEveryNs));
    if (event.kind != Event::Kind::ended) continue;
    running_ = false;
    return std::move(event.ending);
  }
  return std::unexpected(failure);
}

Result<Window> CandidateProcess::open_window(int64_t timeout_ns) {
  Window window;
  uint32_t number = ++last_window_;
  ASSAY_ASSIGN(int64_t cpu_before_ns, cpu_ns());
  int64_t begin_ns = now();
  page_->go.store(number, std::memory_order_release);
  ASSAY_TRY(thaw());
  sandbox::wake_all(page_->go);
  ASSAY_ASSIGN(bool done, wait_until_done(number, begin_ns + timeout_ns, window));
  if (window.kind == Window::Kind::ended) return window;
  ASSAY_TRY(freeze());
  window.wall_ns = now() - begin_ns;
  ASSAY_ASSIGN(int64_t cpu_after_ns, cpu_ns());
  window.cpu_ns = cpu_after_ns - cpu_before_ns;
  if (done) return read_window(std::move(window));
  window.kind = Window::Kind::timed_out;
  children_.forget(child_);
  running_ = false;
  return window;
}

// True: the runner says so. False: the time is up, or the window says that it has ended.
Result<bool> CandidateProcess::wait_until_done(uint32_t number, int64_t deadline_ns,
                                               Window& window) {
  while (true) {
    uint32_t done = page_->done.load(std::memory_order_acquire);
    if (done == number) return true;
    int64_t left_ns = deadline_ns - now();
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

// The runner is frozen; what is read here is read once.
Result<Window> CandidateProcess::read_window(Window window) {
  uint32_t count = std::min<uint32_t>(page_->output_count, ControlPage::kMaxOutputs);
  window.reported.assign(page_->outputs, page_->outputs + count);
  size_t bytes = std::min<size_t>(page_->text_bytes, ControlPage::kMaxTextBytes);
  window.text = printable(std::string(page_->text, bytes), true);
  window.status = page_->status;
  switch (static_cast<WindowOutcome>(page_->outcome)) {
    case WindowOutcome::finished:
      window.kind = Window::Kind::finished;
      return window;
    case WindowOutcome::declined:
      window.kind = Window::Kind::declined;
      return window;
    case WindowOutcome::odd:
      window.kind = Window::Kind::odd;
      return window;
    case WindowOutcome::raised:
      break;
  }
  window.kind = Window::Kind::raised;
  if (window.text.empty()) window.text = "it raised an exception that says nothing";
  return window;
}

}  // namespace assay
