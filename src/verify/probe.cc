#include "verify/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verify/disturb.h"
#include "verify/families.h"
#include "verify/number.h"

namespace assay {
namespace {

// How often an input is replaced before it counts as ignored: one draw may hit the same by chance.
constexpr int kReplacements = 3;

// Puts a tensor back as it was.
class Restored {
 public:
  explicit Restored(std::span<std::byte> tensor)
      : tensor_(tensor), before_(tensor.begin(), tensor.end()) {}
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() { std::ranges::copy(before_, tensor_.begin()); }
  bool is_changed() const { return !std::ranges::equal(before_, tensor_); }

 private:
  std::span<std::byte> tensor_;
  std::vector<std::byte> before_;
};

// The problem's own code raised: it does not take these values.
bool is_refusal(const Stop& stop) {
  auto* record = std::get_if<StageRecord>(&stop.why);
  return record != nullptr && record->failure == FailureClass::exception;
}

}  // namespace

Step<Probe> Probe::create(Oracle& oracle, const RandomStream& random, double unit, bool in_double) {
  const ProblemDescription& problem = oracle.description();
  ASSAY_ASSIGN(RoundMemory memory, RoundMemory::create(problem, 0));
  ASSAY_ASSIGN(SharedTensors state, SharedTensors::create("assay-constants", oracle.state_specs(),
                                                          SharedTensors::Access::write));
  Probe probe(oracle, random, unit, in_double, std::move(memory), std::move(state));
  return probe;
}

Probe::Probe(Oracle& oracle, const RandomStream& random, double unit, bool in_double,
             RoundMemory memory, SharedTensors state)
    : oracle_(&oracle),
      random_(random),
      unit_(unit),
      in_double_(in_double),
      memory_(std::move(memory)),
      state_(std::move(state)) {
  const ProblemDescription& problem = oracle.description();
  auto add = [&](std::string name, std::optional<size_t> changed_input) {
    const TensorSpec& spec = memory_.baseline.specs()[seen_.size()];
    double unit_here = std::max(unit, unit_roundoff(spec.dtype));
    Seen& seen =
        seen_.emplace_back(Seen{std::move(name), ResultValues(spec, unit_here), changed_input, {}});
    for (size_t i = 0; i < problem.inputs.size(); ++i) {
      const auto& tensor = problem.inputs[i].tensor;
      if (tensor && i != changed_input && tensor->dtype == spec.dtype &&
          tensor->elements() == spec.elements())
        seen.identical_inputs.push_back(i);
    }
  };
  for (size_t i = 0; i < problem.outputs.size(); ++i)
    if (problem.outputs[i].tensor)
      add(problem.outputs.size() == 1 ? "the result" : fmt::format("output {}", i), {});
  for (size_t input : problem.mutated_inputs) add(fmt::format("input {}, changed,", input), input);
}

Step<std::optional<SharedTensors>> Probe::computed_inputs(const RandomStream& stream) {
  const ProblemDescription& problem = oracle_->description();
  if (!problem.computes_inputs()) return std::optional<SharedTensors>{};
  ASSAY_ASSIGN(SharedTensors drawn, room_for_inputs(problem));
  ASSAY_TRY(oracle_->draw_inputs(stream, drawn));
  return std::optional<SharedTensors>(std::move(drawn));
}

Step<void> Probe::draw_input(size_t input, const RandomStream& stream,
                             const SharedTensors* computed) {
  const ProblemDescription& problem = oracle_->description();
  const Leaf& leaf = problem.inputs[input];
  std::span<std::byte> place = memory_.input(input);
  if (!leaf.draw) {
    auto is_tensor = [](const Leaf& each) { return each.tensor.has_value(); };
    auto before = std::span(problem.inputs).first(input);
    auto tensor = static_cast<size_t>(std::ranges::count_if(before, is_tensor));
    std::ranges::copy(computed->tensor(tensor), place.begin());
  }
  ASSAY_TRY(fill_family(*leaf.tensor, leaf.draw ? &*leaf.draw : nullptr, {.domain = leaf.domain},
                        stream.named(fmt::format("input {}", input)), place.data()));
  return {};
}

Step<void> Probe::draw(const RandomStream& stream) {
  ASSAY_ASSIGN(auto computed, computed_inputs(stream));
  const ProblemDescription& problem = oracle_->description();
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].tensor && problem.inputs[i].tensor->elements() > 0)
      ASSAY_TRY(draw_input(i, stream, computed ? &*computed : nullptr));
  return {};
}

Step<Computed> Probe::compute() {
  Oracle::Computation what = memory_.computation(oracle_->description());
  what.in_double = in_double_;
  auto computed = oracle_->compute(what);
  if (computed || !in_double_ || samples_ > 0) return computed;
  auto* record = std::get_if<StageRecord>(&computed.error().why);
  if (record == nullptr || record->failure == FailureClass::exception) return computed;
  // Some cannot be computed in double; then what eager gives is all there is.
  what.in_double = false;
  auto again = oracle_->compute(what);
  if (!again) return computed;
  in_double_ = false;
  no_double_ = record->error;
  return again;
}

Step<void> Probe::sample() {
  RandomStream stream = random_.named(fmt::format("sample {}", samples_));
  auto seed = static_cast<uint32_t>(stream.named("model").seed_for_others());
  ASSAY_TRY(oracle_->build({.seed = seed}, state_));
  ASSAY_TRY(draw(stream));
  ASSAY_ASSIGN(Computed computed, compute());
  draws_ = draws_ || computed.draws;
  for (size_t i = 0; i < seen_.size(); ++i) {
    const std::byte* exact = memory_.reference.tensor(i).data();
    bool has_exact = in_double_ && is_floating(memory_.baseline.specs()[i].dtype);
    seen_[i].values.add(memory_.baseline.tensor(i).data(),
                        has_exact ? reinterpret_cast<const double*>(exact) : nullptr);
  }
  look_for_identity();
  keep_results();
  if (samples_++ > 0 || draws_) return {};
  // By torch alone: what differs is to be seen where a user would see it.
  bool in_double = std::exchange(in_double_, false);
  keep_results();
  ASSAY_TRY(compute());
  differs_ = results_differ();
  in_double_ = in_double;
  keep_results();
  return {};
}

void Probe::look_for_identity() {
  const ProblemDescription& problem = oracle_->description();
  for (size_t r = 0; r < seen_.size(); ++r) {
    const TensorSpec& result = memory_.baseline.specs()[r];
    std::erase_if(seen_[r].identical_inputs, [&](size_t input) {
      const TensorSpec& spec = *problem.inputs[input].tensor;
      std::vector<std::byte> dense(spec.elements() * bytes_of(spec.dtype));
      gather(spec, memory_.input(input).data(), 0, spec.elements(), dense.data());
      return !same_values(result.dtype, result.elements(), memory_.baseline.tensor(r).data(),
                          dense.data());
    });
  }
}

void Probe::keep_results() {
  const SharedTensors& results = in_double_ ? memory_.reference : memory_.baseline;
  kept_.clear();
  for (size_t i = 0; i < results.count(); ++i)
    kept_.emplace_back(results.tensor(i).begin(), results.tensor(i).end());
}

bool Probe::results_differ() const {
  const SharedTensors& results = in_double_ ? memory_.reference : memory_.baseline;
  for (size_t i = 0; i < results.count(); ++i) {
    const TensorSpec& spec = results.specs()[i];
    double unit = std::max(unit_, unit_roundoff(memory_.baseline.specs()[i].dtype));
    if (differ(spec.dtype, spec.elements(), kept_[i].data(), results.tensor(i).data(), unit,
               in_double_))
      return true;
  }
  return false;
}

// Whether any result is another now. Values that the problem refuses are values that it looks at.
Step<bool> Probe::moves() {
  auto computed = compute();
  if (computed) return results_differ();
  if (is_refusal(computed.error())) return true;
  return std::unexpected(std::move(computed.error()));
}

Step<std::optional<bool>> Probe::ignores_input(size_t input) {
  const Leaf& leaf = oracle_->description().inputs[input];
  const TensorSpec& spec = *leaf.tensor;
  if (spec.elements() == 0) return std::optional<bool>{};
  Restored restored(memory_.input(input));
  bool tried = false;
  for (int n = 0; n < kReplacements; ++n) {
    RandomStream stream = random_.named(fmt::format("input {} replaced {}", input, n));
    if (n + 1 < kReplacements) {
      ASSAY_ASSIGN(auto computed, computed_inputs(stream));
      ASSAY_TRY(draw_input(input, stream, computed ? &*computed : nullptr));
    } else {
      disturb_within(leaf.domain, spec, stream, memory_.input(input).data());
    }
    if (!restored.is_changed()) continue;
    tried = true;
    ASSAY_ASSIGN(bool moved, moves());
    if (moved) return std::optional(false);
  }
  return tried ? std::optional(true) : std::nullopt;
}

Step<std::optional<bool>> Probe::ignores_state(size_t tensor) {
  const TensorSpec spec = state_.specs()[tensor];
  if (spec.elements() == 0 || !is_floating(spec.dtype)) return std::optional<bool>{};
  std::optional<bool> ignored;
  {
    Restored restored(state_.tensor(tensor));
    disturb(spec, random_.named(fmt::format("state {}", tensor)), state_.tensor(tensor).data());
    if (!restored.is_changed()) return ignored;
    ASSAY_TRY(oracle_->load(state_));
    ASSAY_ASSIGN(bool moved, moves());
    ignored = !moved;
  }
  ASSAY_TRY(oracle_->load(state_));
  return ignored;
}

}  // namespace assay
