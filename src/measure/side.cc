#include "measure/side.h"

#include <algorithm>
#include <utility>

namespace assay {

WindowRecord recorded(const Window& window, WindowRecord where) {
  where.wall_ns = window.wall_ns;
  where.cpu_ns = window.used.cpu_ns;
  where.process_cpu_ns = window.used.process_cpu_ns;
  where.waited_ns = window.used.waited_ns;
  return where;
}

std::vector<bool> are_overwritten(const ProblemDescription& problem) {
  std::vector<bool> these;
  for (const Leaf& output : problem.outputs)
    if (output.tensor) these.push_back(!output.aliased_input);
  return these;
}

Step<Side> Side::start(const Subject& subject, const Oracle& oracle, const SharedTensors& state,
                       const LaunchSetting& setting, size_t slots,
                       const std::vector<bool>& overwritten) {
  const ProblemDescription& problem = oracle.description();
  // Nothing around tensors: who reads or writes there has been found out when it was verified.
  ASSAY_ASSIGN(RoundMemory room, RoundMemory::create(problem, 0, nullptr, slots));
  auto memory = std::make_unique<RoundMemory>(std::move(room));
  LaunchSetting how = setting;
  // Whose memory may be read from here; others copy their results, within the window. On a card all
  // that is Python does.
  const bool returns_own = subject.job.runner().returns_own_tensors || subject.job.form->is_model();
  how.in_place = returns_own && !subject.job.gpu && subject.tools.isolation == Isolation::L3;
  CandidateJob job = runner_job(subject, oracle, *memory, state, how);
  job.is_timed = true;
  ASSAY_ASSIGN(auto runner, start_runner(subject, job));
  return Side(problem, std::move(memory), std::move(runner), !returns_own, how.in_place,
              overwritten);
}

Step<Window> Side::window(WindowKind kind, uint32_t calls, int64_t limit_ns) {
  ASSAY_ASSIGN(Window window, runner_->window(limit_ns, kind, calls));
  ASSAY_TRY(check_window(window, *problem_, limit_ns));
  has_waited_ = window.waits;
  return window;
}

Step<void> Side::prepare(uint32_t calls) {
  around_cpu_ns_ = 0;
  if (!in_place_) return {};
  ASSAY_ASSIGN(Window prepared, window(WindowKind::prepare, calls, call_limit_ns(0, false)));
  around_cpu_ns_ = prepared.used.cpu_ns;
  return {};
}

Step<Window> Side::call(uint32_t calls, int64_t limit_ns) {
  ASSAY_ASSIGN(Window called, window(WindowKind::call, calls, limit_ns));
  if (!in_place_) return called;
  // At once: whatever comes now, results and changed inputs are those that were there when the
  // window ended.
  const std::vector<std::vector<std::byte>> changed = changed_inputs(calls);
  why_not_in_place_ = runner_->results().exchange(memory_->outputs, calls, *overwritten_);
  ASSAY_ASSIGN(Window told, window(WindowKind::told, calls, call_limit_ns(0, false)));
  around_cpu_ns_ += told.used.cpu_ns;
  for (size_t slot = 0; slot < changed.size(); ++slot)
    std::ranges::copy(changed[slot], memory_->inout.all(slot).begin());
  return called;
}

std::vector<std::vector<std::byte>> Side::changed_inputs(uint32_t calls) const {
  std::vector<std::vector<std::byte>> all;
  if (memory_->inout.count() == 0) return all;
  for (uint32_t slot = 0; slot < calls; ++slot) {
    const std::span<std::byte> there = memory_->inout.all(slot);
    all.emplace_back(there.begin(), there.end());
  }
  return all;
}

Result<uint64_t> Side::end() {
  ASSAY_ASSIGN(const Ending ending, runner_->end());
  return ending.peak_bytes;
}

Step<std::optional<Window>> Side::without_calls(WindowUse use, uint32_t calls) {
  const bool is_null = use == WindowUse::null;
  if (!is_null && is_native_) return std::optional<Window>{};
  return window(is_null ? WindowKind::null : WindowKind::beside, calls, call_limit_ns(0, false));
}

}  // namespace assay
