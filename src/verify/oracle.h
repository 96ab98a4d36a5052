// The judge's side of the oracle: a worker that runs the problem's own code and says what is right
// (python/assay_worker/oracle.py has the requests).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "author/candidate.h"
#include "model/attempt.h"
#include "model/loaded_weights.h"
#include "run/shared_tensors.h"
#include "sandbox/children.h"
#include "verify/domain_values.h"
#include "verify/picks.h"

namespace assay {

// Why a verification ends before its last step: a finding about the problem or the candidate, which
// is data, or an inability of assay's.
struct Stop {
  std::variant<StageRecord, Error> why;
  Stop(StageRecord record) : why(std::move(record)) {}  // NOLINT: what a step returns
  Stop(Error error) : why(std::move(error)) {}          // NOLINT
};
template <class T>
using Step = std::expected<T, Stop>;

// The finding that ended a stage early, which is never good news; else assay's own error.
Result<StageRecord> finding_of(Stop stop);

// One argument of forward, or one result of it, nested ones flattened.
struct Leaf {
  std::optional<TensorSpec> tensor;
  Json scalar;                          // {"scalar": 3} where it is no tensor
  std::optional<Draw> draw;             // of an input that the judge draws: as get_inputs() does
  Domain domain;                        // of an input: which values it may have
  bool is_domain_said = false;          // by the problem's file; else by the call that makes it
  std::optional<size_t> aliased_input;  // of a result that is an input's memory
  std::optional<Picks> picks;           // of a result that is indices of this kind
  bool from_picks = false;              // of a result that was made of such
  bool order_open = false;              // and of some whose order is open
};

struct StateTensor {
  std::string name;
  std::string kind;  // "parameter", "buffer", "other"
  TensorSpec tensor;
  std::optional<size_t> same_as;  // another name of that one
  bool changed = false;           // by a call
};

// What a problem takes, holds and returns.
struct ProblemDescription {
  std::vector<Leaf> inputs, outputs;
  std::vector<StateTensor> state;
  std::vector<size_t> mutated_inputs;
  std::vector<TensorSpec> init_tensors;
  bool mixes =
      false;  // a product or a convolution: NaN and infinity may spread in algorithms for it
  Json input_tree, output_tree, init_tree, scalars;
  uint64_t input_bytes = 0, state_bytes = 0, output_bytes = 0;
  uint64_t forward_bytes = 0;  // a call holds at most, beside inputs and state
  uint64_t double_bytes = 0;   // the same in double, inputs and state included
  // Of products and convolutions, as the definition has them. Nothing: not all of it is counted.
  std::optional<int64_t> flops{};

  uint64_t bytes() const { return input_bytes + state_bytes + output_bytes; }
  bool computes_inputs() const;  // get_inputs() makes some in a way of its own
};

// Of each input that is a tensor: its place, shape, type and domain, how that is known, and the
// call that makes it (docs/formats.md).
Json inputs_in_words(const ProblemDescription& problem);

// Why candidates of this form cannot be held against it; empty: they can.
std::string why_not_judged(const ProblemDescription& problem, const Form& form);

// Smaller sizes of a problem: its file's constants and what they become.
struct Smaller {
  Json constants;  // {"batch_size": 7}
  uint64_t bytes = 0;
  std::string in_words() const;  // "batch_size=7"
};

// How a problem may be computed a few rows at a time.
struct ChunkPlan {
  int64_t rows = 0, of = 0;     // in one chunk, and in all
  std::vector<size_t> inputs;   // that have the rows, as their first dimension
  std::vector<int64_t> groups;  // of each output: of how many of its rows one row is
  uint64_t forward_bytes = 0, double_bytes = 0;  // of one chunk, as of a problem
};

// What the oracle says of one computation.
struct Computed {
  int64_t baseline_ns = 0;
  bool draws = false;               // random numbers, in forward
  std::vector<std::string> narrow;  // operations that were not done in double
  std::vector<std::string> rounds;  // types that the problem rounds to, and the run in double not
  bool integers = false;            // proven: whole and small at every step
  std::string not_integers;         // why not
  bool too_large = false;           // since numbers are too large: smaller ones might be
  std::string no_double;            // why there is no result in double
  std::string computed_on;          // "card", "cpu", or "cpu: why"; "": nobody asked for a card
  std::vector<bool> exact_keys;     // of results that are picks, slot by slot (Picks::key)
};

// What a larger problem is shrunk to where it has to be called often.
inline constexpr uint64_t kShrunkBytes = uint64_t{4} << 20;

// What its process says that no oracle says.
Stop malformed(const std::string& what);

// From the oracle's process, where the problem's own code runs.
Result<ProblemDescription> description_from_json(const Json& json);
Result<Computed> computed_from_json(const Json& json);

class Oracle {
 public:
  struct Problem {
    std::string path;
    std::string_view source;
    std::string mode;
    Precision precision = Precision::f32;
    uint64_t real_bytes = 0;
    bool on_card = false;                    // it may compute there
    const LoadedWeights* weights = nullptr;  // that its model may be loaded with
  };
  static Step<Oracle> start(Children& children, const Image& image, const Limits& limits,
                            const Problem& problem);
  Oracle(Oracle&& other) noexcept
      : children_(other.children_),
        child_(std::exchange(other.child_, 0)),
        timeout_ns_(other.timeout_ns_),
        described_(std::move(other.described_)) {}
  ~Oracle();

  const ProblemDescription& description() const { return described_; }
  // The problem's code has not ended it yet.
  bool is_running() const { return child_ != 0; }

  // The same problem at the size that these constants give it; `{}`: its own. What follows is of
  // it.
  Step<void> describe_at(const Json& constants);
  Step<Smaller> shrink(uint64_t target_bytes);
  // So many rows at a time that one chunk takes about so much in double; or the reason why not.
  Step<std::variant<ChunkPlan, std::string>> chunks(uint64_t target_bytes);
  // How a model comes to its state.
  struct Building {
    uint32_t seed = 0;             // that it is built under
    bool integers = false;         // what it draws is -1, 0 or 1
    bool other_constants = false;  // what it would make of one value throughout is drawn
    bool loaded = false;           // then it takes the weights of its Problem
  };
  // Builds the model, and writes its state and the constructor's tensors.
  Step<void> build(const Building& how, const SharedTensors& state);
  // The same in memory made for it, which nobody can write to any more. `change`: of what it has,
  // before it is taken.
  Step<SharedTensors> built(const Building& how,
                            const std::function<void(const SharedTensors&)>& change = nullptr);
  // Takes the state from memory instead.
  Step<void> load(const SharedTensors& state);
  // Draws all inputs as get_inputs() does, under a seed of the stream's, and writes those that it
  // computes in a way of its own into `drawn`: room_for_inputs().
  Step<void> draw_inputs(const RandomStream& stream, const SharedTensors& drawn);
  // All of them, as get_inputs() draws them under the n-th seed that torch draws under `seed`.
  Step<void> draw_trial(uint32_t seed, int number, const SharedTensors& drawn);
  // The same with other values inside of what it draws, and those of the seed at the margins.
  Step<void> draw_interior(const RandomStream& stream, const SharedTensors& drawn);
  // The same with numbers in place of what it draws from continuous distributions: of two tensors
  // of one dimension the first has them, one after the other and again from the first, and the
  // second chooses which. Squeezed `within` the range that it draws, if asked for. Of each tensor
  // it returns what it was computed from.
  struct Numbers {
    const SharedTensors& tensors;
    bool within = false;
  };
  struct ComesFrom {
    size_t group = 0;      // tensors of one group share draws
    uint64_t numbers = 0;  // so many numbers all of the group come from; 0: from no draw
  };
  Step<std::vector<ComesFrom>> draw_inputs(const RandomStream& stream, const SharedTensors& drawn,
                                           const Numbers& numbers);

  struct Computation {
    Json inputs;  // leaves with their places in the memories "inputs" and "inout"
    const SharedTensors* given = nullptr;
    const SharedTensors* inout = nullptr;
    // Results, then inputs that are changed, then what results that are picks point into.
    const SharedTensors* reference = nullptr;
    const SharedTensors* baseline = nullptr;
    bool integers = false;
    bool in_double = true;                     // else the baseline's result alone
    const ProblemDescription* part = nullptr;  // what is computed, where it is not all
    size_t slots = 1;  // of all memory: so many calls, where no result is made of picks
    // The results in double alone, once more, with equal elements in another order.
    int shake = 0;
    double shake_times = 1;  // how many times what torch's own keys are off by makes two equal
    // Or these once more, with NaN where an algorithm for products and convolutions may have it:
    // for infinity or NaN where a factor is not finite; in finite places beside; or in rows of
    // which something is picked, and none of which is finite.
    enum class Spread { none, kinds, places, picks };
    Spread spread = Spread::none;
  };
  Step<Computed> compute(const Computation& what);

  // The state and the constructor's tensors, in the order of one memory that holds both.
  std::vector<TensorSpec> state_specs() const;
  // As a sheet has them.
  Json state_layout(const SharedTensors& state) const;
  Json init_layout(const SharedTensors& state) const;

 private:
  Oracle(Children& children, ChildId child, int64_t timeout_ns)
      : children_(children), child_(child), timeout_ns_(timeout_ns) {}
  Step<Json> receive(const char* answer);
  Step<Json> ask(Json request, const std::vector<int>& descriptors, const char* answer);
  Step<void> take_description(const Json& described);
  Step<Json> draw_inputs(Json request, const SharedTensors& drawn, bool all,
                         const SharedTensors* numbers);
  static Json seed_of(const RandomStream& stream);

  Children& children_;
  ChildId child_ = 0;
  int64_t timeout_ns_ = 0;
  Json constants_ = Json::object();
  ProblemDescription described_;
};

}  // namespace assay
