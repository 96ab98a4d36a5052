#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/gpu_kernels.h"
#include "verify/reference.h"
#include "verify/runner.h"
#include "verify/watched.h"

namespace assay {

// One process with the candidate in it, at one size of the problem, and the rounds it goes through.
class Launch {
 public:
  using Setting = LaunchSetting;
  // What launches share that one oracle has the results for.
  struct Context : Subject {
    Oracle& oracle;
  };

  // For the subject's problem, in its mode.
  static Step<Oracle> start_oracle(const Subject& subject);

  // Has the oracle build the model. `state`: instead of the drawn one. The candidate's process is
  // started when it is called first.
  static Step<Launch> prepare(const Context& context, Setting setting,
                              const std::function<void(const SharedTensors&)>& state = nullptr);
  // The same, and starts the candidate.
  static Step<Launch> start(const Context& context, Setting setting,
                            const std::function<void(const SharedTensors&)>& state = nullptr);
  // Whether the job's weights are what the model has: at the problem's own size alone, for which
  // they are made, and not where it is to have others.
  static bool loads_weights(const VerifyJob& job, const Setting& setting);
  // By its facts(): whether the candidate draws its parameters itself, or holds a tensor of its own
  // beside them, which may be made of them. What is copied into it does not reach that.
  static bool makes_parameters(const Json& facts);
  bool is_started() const { return runner_ != nullptr; }
  // The same once more, in a new process.
  Step<void> start_again(int perturb);

  // One round: draws inputs, has the oracle compute, calls the candidate, compares.
  using Ask = Reference::Ask;
  struct Outcome {
    RoundResult result;
    std::vector<std::string> digests;  // of the candidate's results, where asked for with `keep`
    bool draws = false;                // the problem draws random numbers in forward
    std::vector<std::string> narrow;   // operations of the reference that were not done in double
    std::vector<std::string> rounds;   // types that it rounds to, and the exact result not
    bool integers_proven = false;
    std::string not_integers;
    bool too_large = false;  // why not: smaller numbers might be
    std::string skipped;     // why the problem itself has no result for these inputs; "": it has
    std::optional<Window> window;  // nothing: the candidate was not called
    // Of a call in which the problem's own model was compiled: what that took until now, as its
    // process says (docs/formats.md). Null: of any other.
    Json compiling{};
    Reference::Drawn inputs;
  };
  Step<Outcome> round(const Ask& ask, bool keep = false);

  // With Setting::check: what a trial needs of the problem. Its inputs are drawn under a seed that
  // follows from the check's and the number, and are as the problem's own call leaves them: others
  // call both models with the same.
  Step<void> draw_trial(int number);
  // The candidate's call, in the order of the numbers. Says what is wrong with it; "": nothing. A
  // finding where it comes to no result, or to one of which nobody here knows what others would
  // say. Nothing of it is a round.
  Step<std::string> trial();

  // With OnGpu::compile: the one call, and what was compiled for it. There is nothing afterwards.
  Step<GpuKernels> compile_kernels();

  // With Setting::operators, of a candidate in torch: what its process says of the operators of its
  // calls (measure/operator_times.h), with the inputs as they are. There is nothing afterwards.
  Step<std::string> operators();

  // What its process, and what that runs in, have printed when it has been called so often and has
  // ended by itself: with Setting::profiled, of a runner that a profiler starts. Inputs are as they
  // are, and nobody looks at results. There is nothing afterwards.
  Step<std::string> profile(int calls);

  // Of a round that ended with a crash: whether the candidate had written to its inputs. A finding
  // where it does so in a process in which it may.
  Step<void> look_for_writes(const Ask& ask) const;

  // What a Python candidate does in one more call, with the inputs of the round that was last.
  // Nothing: it does not say. There is no round afterwards.
  Step<std::optional<Watched>> watch();

  std::string draw_name(const Ask& ask) const { return reference_->draw_name(ask); }
  const Json& facts() const { return runner_->facts(); }
  // Of the record: docs/formats.md.
  Json in_words() const;
  // Where it is not the one that all else is run by; else "".
  std::string driver_in_words() const;
  // The candidate's process, once it is started.
  Result<int> process() const { return runner_->process(); }
  // Ends the candidate's process and returns what it has printed.
  Result<std::string> end() {
    if (!runner_) return "";
    ASSAY_ASSIGN(Ending ending, runner_->end());
    return std::move(ending.output);
  }
  // What was printed by the process that start_again() has ended.
  const std::string& printed_before() const { return printed_before_; }
  // The call of the round that was last, where it came to one.
  const std::optional<Window>& last_call() const { return last_call_; }
  // What a window costs in which the candidate is not called.
  int64_t null_window_ns() const { return null_window_ns_; }
  // What the model holds in this launch.
  const SharedTensors& state() const { return *state_; }
  const Setting& setting() const { return setting_; }

 private:
  Launch(const Context& context, Setting setting, RoundMemory memory, SharedTensors state);
  Step<void> start_runner();
  Step<void> prepare_for_gpu(CandidateJob& runner);
  // A file in memory that a runner which is to be started writes.
  Step<void> give_file(const char* name, CandidateJob& runner);
  // The same, of a runner that has ended. Nothing: it is larger than that.
  Step<std::optional<std::string>> read_written(uint64_t most_bytes) const;
  Step<void> measure_null_window();
  int64_t call_limit_ns() const;
  Step<void> check_window(const Window& window, int64_t limit_ns) const;
  // Before each window: what it does not write shows, and what it writes around it.
  Poison poison_outputs(const RandomStream& window);
  const RoundMemory& memory() const { return reference_->memory(); }
  void fill_zones(const RandomStream& stream);
  Step<void> check_zones(const RandomStream& stream) const;
  std::vector<std::string> digests_of_unchanged() const;
  Step<void> check_inputs(const std::vector<std::string>& before) const;
  Context context_;
  Setting setting_;
  std::unique_ptr<Reference> reference_;
  std::unique_ptr<SharedTensors> state_;
  std::unique_ptr<CandidateProcess> runner_;
  std::string printed_before_;
  UniqueFd written_;  // with OnGpu::compile or `operators`: that the runner writes
  int64_t baseline_ns_ = 0;
  std::optional<Window> last_call_;
  bool called_ = false;  // the candidate, in this process
  int64_t null_window_ns_ = 0;
  int windows_ = 0;
};

}  // namespace assay
