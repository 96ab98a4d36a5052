// The inputs of a round.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "verify/elements.h"
#include "verify/launch.h"

namespace assay {
namespace {

// The longest sum that a tensor of the problem may be a factor of, as a guess to begin with.
uint64_t longest_sum(const ProblemDescription& problem) {
  uint64_t longest = 16;
  auto look_at = [&](const TensorSpec& spec) {
    if (spec.shape.size() < 2 || spec.shape[0] == 0) return;
    longest = std::max(longest, spec.elements() / static_cast<uint64_t>(spec.shape[0]));
  };
  for (const Leaf& leaf : problem.inputs)
    if (leaf.tensor) look_at(*leaf.tensor);
  for (const StateTensor& each : problem.state) look_at(each.tensor);
  return std::min<uint64_t>(longest, 1 << 16);
}

// Of the n-th tensor of floating point. Which leads under `denormal` goes round with the number of
// the round; `zeros` has all zero first, and then what is no number of the problem's alone.
Role role_of(const Launch::Ask& ask, int n) {
  if (ask.family == Family::zeros) return ask.number == 0 ? Role::leading : Role::other;
  const int leading = ask.family == Family::denormal ? ask.number : 0;
  return n == leading ? Role::leading : Role::other;
}

bool is_placed_in_own(Family family) {
  return family == Family::spike || family == Family::nonfinite;
}

// Whether a family has other numbers than the problem's own.
bool has_numbers(const FamilyFill& how) {
  if (how.family == Family::own || how.family == Family::interior) return false;
  bool leads_alone = how.family == Family::denormal || how.family == Family::zeros;
  return how.role == Role::leading || !leads_alone;
}

// All inputs of a problem that computes some of them in get_inputs(): triangles, rows that are
// sorted, or that sum up to 1. What they are by construction a kernel may rely on, and nothing else
// of their values. So families come in where get_inputs() draws, and its own code goes on from
// there.
class ComputedInputs {
 public:
  static Step<ComputedInputs> draw(Oracle& oracle, RandomStream stream) {
    ComputedInputs inputs(oracle, std::move(stream));
    ASSAY_ASSIGN(ByProblem own, inputs.drawn(nullptr));
    inputs.own_ = std::move(own.tensors);
    return inputs;
  }

  // The n-th of the tensors, as the problem draws it.
  std::span<const std::byte> own(size_t n) const { return own_->tensor(n); }

  // The same where the problem draws what a family has. Nothing: it does not follow from what is
  // drawn, so that there is no telling what else it might be.
  Step<std::optional<std::span<const std::byte>>> under(const FamilyFill& how, size_t n) {
    using Found = std::optional<std::span<const std::byte>>;
    const TensorSpec& spec = own_->specs()[n];
    if (!other_) {
      const FamilyFill other{.family = Family::moderate};
      ASSAY_ASSIGN(other_, drawn_under(other, spec.dtype));
    }
    if (!follows(n)) return Found();
    auto& drawn_so = under_[how.role == Role::leading][how.finite > 0];
    if (!drawn_so) {
      ASSAY_ASSIGN(drawn_so, drawn_under(how, spec.dtype));
    }
    // The logarithm of what is negative here is no input that anybody has to expect.
    const bool keeps_own = !*drawn_so || (how.family != Family::nonfinite &&
                                          differences(n, (*drawn_so)->tensors).overflows);
    return Found(keeps_own ? own(n) : (*drawn_so)->tensors.tensor(n));
  }

 private:
  ComputedInputs(Oracle& oracle, RandomStream stream)
      : oracle_(&oracle), stream_(std::move(stream)) {}

  struct ByProblem {
    SharedTensors tensors;
    uint64_t draws = 0;  // that numbers were given for
  };
  using Drawn = std::optional<ByProblem>;  // nothing: the problem's code refuses such numbers

  // Whether a tensor follows from what is drawn, with no more numbers than that: a column that is
  // repeated is no structure that anybody has to know of.
  bool follows(size_t n) const {
    if (!*other_) return true;
    const ByProblem& other = **other_;
    uint64_t different = 0;
    for (size_t i = 0; i < own_->count(); ++i)
      if (is_floating(own_->specs()[i].dtype)) different += differences(i, other.tensors).count;
    return differences(n, other.tensors).count > 0 && different <= other.draws;
  }

  Step<Drawn> drawn_under(const FamilyFill& how, Dtype dtype) {
    ASSAY_ASSIGN(SharedTensors numbers, numbers_of(how, dtype));
    auto found = drawn(&numbers);
    if (found) return Drawn(std::move(*found));
    auto* record = std::get_if<StageRecord>(&found.error().why);
    if (record && record->failure == FailureClass::exception) return Drawn();
    return std::unexpected(std::move(found.error()));
  }

  struct Differences {
    uint64_t count = 0;
    bool overflows = false;  // is not finite where the problem's own number is
  };
  Differences differences(size_t n, const SharedTensors& other) const {
    const TensorSpec& spec = own_->specs()[n];
    Differences found;
    std::array<double, kBlockElements> before, now;
    for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
      const uint64_t count = std::min(kBlockElements, spec.elements() - first);
      load(spec, own_->tensor(n).data(), first, {before.data(), count});
      load(spec, other.tensor(n).data(), first, {now.data(), count});
      for (uint64_t i = 0; i < count; ++i) {
        const bool same = now[i] == before[i] || (std::isnan(now[i]) && std::isnan(before[i]));
        found.count += same ? 0 : 1;
        found.overflows |= std::isfinite(before[i]) && !std::isfinite(now[i]);
      }
    }
    return found;
  }

  Step<ByProblem> drawn(const SharedTensors* numbers) {
    std::vector<TensorSpec> specs;
    for (const Leaf& leaf : oracle_->description().inputs)
      if (leaf.tensor) specs.push_back(*leaf.tensor);
    ASSAY_ASSIGN(SharedTensors drawn, SharedTensors::create("assay-drawn", std::move(specs),
                                                            SharedTensors::Access::write));
    auto seed = static_cast<uint32_t>(stream_.named("get_inputs").seed_for_others());
    ASSAY_ASSIGN(uint64_t draws, oracle_->draw_inputs(seed, drawn, numbers));
    return ByProblem{std::move(drawn), draws};
  }

  // As many as all computed inputs have elements, and which of them take the place of a draw.
  Step<SharedTensors> numbers_of(const FamilyFill& how, Dtype dtype) {
    int64_t count = 0;
    for (const Leaf& leaf : oracle_->description().inputs)
      if (leaf.tensor && !leaf.draw && is_floating(leaf.tensor->dtype))
        count += static_cast<int64_t>(leaf.tensor->elements());
    const TensorSpec numbers{dtype, {count}, {}}, chosen{Dtype::boolean, {count}, {}};
    ASSAY_ASSIGN(SharedTensors both, SharedTensors::create("assay-numbers", {numbers, chosen},
                                                           SharedTensors::Access::write));
    const Draw nothing{.kind = DrawKind::zeros};
    ASSAY_TRY(fill_family(numbers, &nothing, how, stream_.named("numbers"), both.tensor(0).data()));
    fill(chosen, both.tensor(1).data(), Integers([&](uint64_t first, std::span<int64_t> choices) {
           std::vector<double> values(choices.size());
           load(numbers, both.tensor(0).data(), first, values);
           for (size_t i = 0; i < choices.size(); ++i)
             choices[i] = is_placed_in_own(how.family) ? values[i] != 0 : 1;
         }));
    return both;
  }

  Oracle* oracle_;
  RandomStream stream_;
  std::optional<SharedTensors> own_;
  // By whether it leads, and whether it has finite numbers instead: all that differs in one round.
  std::array<std::array<std::optional<Drawn>, 2>, 2> under_;
  std::optional<Drawn> other_;  // shows what follows from what is drawn
};

}  // namespace

std::string Launch::draw_name(const Ask& ask) const {
  return fmt::format("{}/{}/{}", setting_.size, to_word(kFamilyWords, ask.family), ask.number);
}

// Fills the inputs of a memory that is laid out for the problem.
Step<void> Launch::draw(const Ask& ask, const RoundMemory& memory) const {
  const ProblemDescription& problem = context_.oracle.description();
  RandomStream stream = context_.random.named(draw_name(ask));
  bool some_are_computed = std::ranges::any_of(
      problem.inputs, [](const Leaf& leaf) { return leaf.tensor && !leaf.draw; });
  std::optional<ComputedInputs> computed;
  if (some_are_computed) {
    ASSAY_ASSIGN(computed, ComputedInputs::draw(context_.oracle, stream));
  }
  int floating = 0;  // tensors so far, but for labels
  size_t tensors = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const Leaf& leaf = problem.inputs[i];
    if (!leaf.tensor) continue;
    const size_t n = tensors++;
    std::span<std::byte> place = memory.input(i);
    if (!leaf.draw) std::ranges::copy(computed->own(n), place.begin());
    const Draw* draw = leaf.draw ? &*leaf.draw : nullptr;
    const bool is_led =
        is_floating(leaf.tensor->dtype) && !holds_labels(*leaf.tensor, draw, place.data());
    FamilyFill how{.family = ask.family,
                   .role = Role::other,
                   .sum_length = longest_sum(problem),
                   .attempt = ask.attempt};
    if (is_led) {
      how.role = role_of(ask, floating);
      how.finite = ask.finite_alone.value_or(floating) == floating ? ask.finite : 0;
      ++floating;
    }
    if (!leaf.draw && is_led && has_numbers(how)) {
      ASSAY_ASSIGN(auto under, computed->under(how, n));
      if (under) {
        std::ranges::copy(*under, place.begin());
        continue;
      }
    }
    std::string name = fmt::format("input {}", i);
    std::optional<RandomStream> earlier;
    if (ask.earlier) earlier = context_.random.named(*ask.earlier).named(name);
    how.earlier = earlier ? &*earlier : nullptr;
    ASSAY_TRY(fill_family(*leaf.tensor, draw, how, stream.named(name), place.data()));
  }
  return {};
}

}  // namespace assay
