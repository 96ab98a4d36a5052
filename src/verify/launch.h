#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/candidate_process.h"
#include "verify/chunks.h"
#include "verify/decide.h"
#include "verify/extensions.h"
#include "verify/gpu_kernels.h"
#include "verify/oracle.h"
#include "verify/poison.h"
#include "verify/product_check.h"
#include "verify/round_memory.h"
#include "verify/unaffected.h"
#include "verify/verify.h"
#include "verify/watched.h"

namespace assay {

// One process with the candidate in it, at one size of the problem, and the rounds it goes through.
class Launch {
 public:
  // What is done about code for a GPU, which is not here.
  enum class OnGpu {
    none,       // there is none
    compile,    // it is compiled, and not run
    interpret,  // Triton's own interpreter runs it
  };
  struct Setting {
    std::string size = "full";  // in words, for the record
    uint32_t seed = 0;          // that both models are built under
    // What both models draw while they are built is whole: -1, 0 or 1.
    bool integer_draws = false;
    // Both models make parameters that have one value throughout of others, near that.
    bool other_constants = false;
    int perturb = 0;  // of Python candidates: fresh memory is filled with this byte
    // The oracle computes, and its results are compared, a few rows at a time.
    std::optional<ChunkPlan> chunks{};
    bool by_seed = false;          // parameters are drawn by each model, and not copied
    bool writable_inputs = false;  // to see whether the candidate writes to what is not its own
    OnGpu gpu = OnGpu::none;
  };

  // The candidate, and what it is run with.
  struct Subject {
    const VerifyJob& job;
    const VerifyTools& tools;
    Children& children;
    const RandomStream& random;
    int candidate_fd;  // its source or binary
    Extensions& extensions;
  };
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
  bool is_started() const { return runner_ != nullptr; }
  // The same once more, in a new process.
  Step<void> start_again(int perturb);

  // One round: draws inputs, has the oracle compute, calls the candidate, compares.
  struct Ask {
    Family family = Family::own;
    int number = 0;  // of this family
    int attempt =
        0;  // of family integers: the larger, the smaller the numbers; of tiny: the larger
    std::optional<std::string> earlier{};  // of family interior: the name of the draw it resembles
    FiniteChoice finite{};                 // of family nonfinite
  };
  // Inputs, by their places, that are not as the family has them: as the problem draws them itself,
  // or of numbers in its own range.
  struct Drawn {
    std::vector<size_t> own, within;
  };
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
    Drawn inputs;
  };
  Step<Outcome> round(const Ask& ask, bool keep = false);

  // A call as others check it: inputs as the problem draws them, under a seed that follows from
  // this one and the number, and results near the baseline's by a tolerance. Says what is not; "":
  // all is. Nothing of it is a round.
  Step<std::string> trial(uint32_t seed, int number, double tolerance);

  // With OnGpu::compile: the one call, and what was compiled for it. There is nothing afterwards.
  Step<GpuKernels> compile_kernels();

  // What a Python candidate does in one more call, with the inputs of the round that was last.
  // Nothing: it does not say. There is no round afterwards.
  Step<std::optional<Watched>> watch();

  // The name of the draw that `ask` makes, which its seed and this name make again.
  std::string draw_name(const Ask& ask) const;
  const Json& facts() const { return runner_->facts(); }
  // Of the record: docs/formats.md.
  Json in_words() const;
  // Ends the candidate's process and returns what it has printed.
  Result<std::string> end() { return runner_ ? runner_->end() : ""; }
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
  Step<CandidateProcess::Started> start_with_extensions(CandidateJob& runner) const;
  Step<void> prepare_for_gpu(CandidateJob& runner);
  Step<void> measure_null_window();
  // Of inputs that get_inputs() computes: tensors, counted among the inputs' tensors, that come
  // from the same draws.
  struct InputGroup {
    std::vector<size_t> tensors;
  };
  enum class GroupDraw { free, within, own };
  // Before the first round of a family that needs them.
  Step<void> find_groups(Family family);
  Step<GroupDraw> draw_group(const InputGroup& group, const FamilyFill& how,
                             const RandomStream& stream, const SharedTensors& own,
                             const SharedTensors& drawn) const;
  Step<Drawn> draw(const Ask& ask, const RoundMemory& memory) const;
  int64_t call_limit_ns() const;
  Step<void> check_window(const Window& window, int64_t limit_ns) const;
  // Before each window: what it does not write shows, and what it writes around it.
  Poison poison_outputs(const RandomStream& window);
  void fill_zones(const RandomStream& stream);
  Step<void> check_zones(const RandomStream& stream) const;
  std::vector<std::string> digests_of_unchanged() const;
  Step<void> check_inputs(const std::vector<std::string>& before) const;
  Step<Computed> compute(const RoundMemory& memory, bool integers, const Chunk* chunk) const;
  Step<void> confirm_chunks(const Chunk& first) const;
  // The product that the inputs in `memory` make, where the problem is one.
  std::optional<Product> product_in(const RoundMemory& memory) const;
  Round unjudged_round(const Ask& ask, const Poison& poison,
                       const std::vector<JudgedResult>& judged) const;
  void compare_all(const std::vector<JudgedResult>& judged, const Computed& computed,
                   const std::optional<ProductRound>& product, Round& round) const;
  void judge_order(const Leaf& leaf, const Computed& computed, size_t& picks,
                   OutputFigures& output) const;
  Step<void> compare_chunks(const std::vector<JudgedResult>& judged, const Ask& ask, Round& round,
                            Outcome& outcome) const;
  // Of what is judged at once.
  Step<void> find_sensitivity(const Ask& ask, const std::optional<ProductRound>& product,
                              Round& round) const;
  Step<bool> find_unaffected(const Ask& ask, Round& round) const;
  Step<bool> take_unaffected(Ask ask, const Round& round, std::vector<uint64_t>& taken) const;
  Step<bool> find_jumps(const Ask& ask, Round& round) const;
  Step<RoundMemory> moved_inputs(const Ask& ask, int pattern, double steps) const;
  Step<std::optional<RoundMemory>> moved_results(const Ask& ask, int pattern, double steps) const;
  Step<RoundMemory> shaken(const Ask& ask, int n, double times) const;
  Sensitivity moved_to(const RoundMemory& other, size_t output, const OutputFigures& judged) const;
  Step<void> find_sensitivity_in_chunks(const Ask& ask, Round& round) const;

  Context context_;
  Setting setting_;
  std::unique_ptr<RoundMemory> memory_;
  std::unique_ptr<SharedTensors> state_;
  std::unique_ptr<CandidateProcess> runner_;
  UniqueFd kernels_;  // with OnGpu::compile: that the runner writes
  std::optional<ProductShape> product_;
  int64_t baseline_ns_ = 0;
  std::optional<Window> last_call_;
  bool called_ = false;  // the candidate, in this process
  int64_t null_window_ns_ = 0;
  int windows_ = 0;
  std::optional<std::vector<InputGroup>> groups_;  // once find_groups() has looked
  bool chunks_confirmed_ = false;
};

}  // namespace assay
