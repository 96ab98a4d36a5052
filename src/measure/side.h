#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/window_record.h"
#include "run/candidate_process.h"
#include "verify/reference.h"
#include "verify/runner.h"

namespace assay {

// A window's times, with what else is known of it.
WindowRecord recorded(const Window& window, WindowRecord where);

// Of the results that are tensors, in their order, whether their memory may be overwritten once
// they are read: all but inputs', which are the judge's.
std::vector<bool> are_overwritten(const ProblemDescription& problem);

// One of the programs that are timed against each other, the candidate or a baseline, in a process
// of its own. It stands still but for its windows.
class Side {
 public:
  // With memory for so many calls in one window. `overwritten`: of each result, whether its memory
  // is, as a caller may do. Outlives it.
  static Step<Side> start(const Subject& subject, const Oracle& oracle, const SharedTensors& state,
                          const LaunchSetting& setting, size_t slots,
                          const std::vector<bool>& overwritten);

  const RoundMemory& memory() const { return *memory_; }
  // CPU time in windows around the last call that are none of its own: prepare()'s, and what is
  // told of results afterwards.
  int64_t around_cpu_ns() const { return around_cpu_ns_; }
  // Whether it has such windows.
  bool is_in_place() const { return in_place_; }
  // From its process's fork until it was ready.
  int64_t setup_ns() const { return runner_->setup_ns(); }
  // Which process of its image its own was forked from.
  unsigned forked_from() const { return runner_->forked_from(); }

  // On a card, from now on: calls are queued behind a gate, and timed by the card's clock. Who
  // waits for the card in a call cannot be: that window's time says nothing.
  void set_gated(bool is_gated) { runner_->set_gated(is_gated); }
  bool has_waited() const { return has_waited_; }

  // Before inputs are written for so many calls: what can be done without them is.
  Step<void> prepare(uint32_t calls);
  // Calls it with the first so many slots. A finding where one of the calls breaks. Results are in
  // memory() then.
  Step<Window> call(uint32_t calls, int64_t limit_ns);
  // Why the last call's results cannot be left where they are (ResultsInPlace::exchange). Nothing:
  // they can, or are not left.
  const std::optional<std::string>& why_not_in_place() const { return why_not_in_place_; }
  // A window in which it is not called: `null`, in which nothing is done; or `beside`, after
  // another, with all else that there is in windows of so many calls. Nothing: there is nothing
  // else.
  Step<std::optional<Window>> without_calls(WindowUse use, uint32_t calls);
  // Ends its process. The largest resident set of one of them, with its image and what it maps of
  // inputs and results; 0 where nobody could say.
  Result<uint64_t> end();

 private:
  Side(const ProblemDescription& problem, std::unique_ptr<RoundMemory> memory,
       std::unique_ptr<CandidateProcess> runner, bool is_native, bool in_place,
       const std::vector<bool>& overwritten)
      : problem_(&problem),
        memory_(std::move(memory)),
        runner_(std::move(runner)),
        is_native_(is_native),
        in_place_(in_place),
        overwritten_(&overwritten) {}

  Step<Window> window(WindowKind kind, uint32_t calls, int64_t limit_ns);
  // Of so many slots.
  std::vector<std::vector<std::byte>> changed_inputs(uint32_t calls) const;

  const ProblemDescription* problem_;
  std::unique_ptr<RoundMemory> memory_;
  std::unique_ptr<CandidateProcess> runner_;
  int64_t around_cpu_ns_ = 0;
  bool has_waited_ = false;  // in the last window
  bool is_native_ = false;
  bool in_place_ = false;  // results stay in its own memory, and are read there
  std::optional<std::string> why_not_in_place_;
  const std::vector<bool>* overwritten_;
};

}  // namespace assay
