// The inputs of a round.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "verify/elements.h"
#include "verify/number.h"
#include "verify/reference.h"
#include "verify/which_families.h"

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

// Of the n-th tensor of floating point. Which leads under `denormal` and `nonfinite` goes round
// with the number of the round, and in the last one all that are left do; `zeros` has all zero
// first, and then what is no number of the problem's alone.
Role role_of(const Reference::Ask& ask, int n) {
  if (ask.family == Family::zeros) return ask.number == 0 ? Role::leading : Role::other;
  if (!leads_alone(ask.family)) return n == 0 ? Role::leading : Role::other;
  return n == ask.number || (n > ask.number && ask.number + 1 == kMostLeading) ? Role::leading
                                                                               : Role::other;
}

bool is_placed_in_own(Family family) {
  return family == Family::spike || family == Family::nonfinite;
}

// Whether a family has other numbers than the problem's own at all.
bool has_numbers(Family family) { return !is_of_own(family); }

// What takes the place of draws: numbers of a family, and which of them do. Not more than a few
// megabytes: they come again from the first then, by a step that no row has.
Result<SharedTensors> numbers_of(const FamilyFill& how, Dtype dtype, uint64_t elements,
                                 const RandomStream& stream) {
  constexpr uint64_t kMost = 4'194'301;
  const auto count = static_cast<int64_t>(std::clamp<uint64_t>(elements, 1, kMost));
  const TensorSpec numbers{dtype, {count}, {}}, chosen{Dtype::boolean, {count}, {}};
  ASSAY_ASSIGN(SharedTensors both, SharedTensors::create("assay-numbers", {numbers, chosen},
                                                         SharedTensors::Access::write));
  const Draw nothing{.kind = DrawKind::zeros};
  ASSAY_TRY(fill_family(numbers, &nothing, how, stream.named("numbers"), both.tensor(0).data()));
  fill(chosen, both.tensor(1).data(), Integers([&](uint64_t first, std::span<int64_t> choices) {
         std::vector<double> values(choices.size());
         load(numbers, both.tensor(0).data(), first, values);
         for (size_t i = 0; i < choices.size(); ++i)
           choices[i] = is_placed_in_own(how.family) ? values[i] != 0 : 1;
       }));
  return both;
}

// Whether all is one value, but for the last bits, and that of more than a few: a mean of such is
// not exact, and a variance not 0, so that nothing is there to be seen.
bool is_rough_constant(const TensorSpec& spec, const std::byte* tensor) {
  if (!is_floating(spec.dtype) || spec.elements() == 0) return false;
  constexpr double kFewBits = 16, kNearly = 8;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::array<double, kBlockElements> values;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, tensor, first, {values.data(), count});
    auto [low, high] = std::minmax_element(values.begin(), values.begin() + count);
    least = std::min(least, *low), most = std::max(most, *high);
  }
  int exponent = 0;
  const double bits = std::frexp(most, &exponent) * kFewBits;
  const bool is_constant = most - least <= kNearly * unit_roundoff(spec.dtype) * std::fabs(most);
  return is_constant && (least != most || bits != std::round(bits));
}

struct Differences {
  uint64_t count = 0;
  bool overflows = false;   // is not finite where the other is
  bool is_outside = false;  // beyond the other's smallest and largest number
};

Differences differences(const TensorSpec& spec, const std::byte* tensor, const std::byte* other) {
  Differences found;
  std::array<double, kBlockElements> now, before;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  double least_now = least, most_now = most;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, tensor, first, {now.data(), count});
    load(spec, other, first, {before.data(), count});
    for (uint64_t i = 0; i < count; ++i) {
      const bool same = now[i] == before[i] || (std::isnan(now[i]) && std::isnan(before[i]));
      found.count += same ? 0 : 1;
      found.overflows |= std::isfinite(before[i]) && !std::isfinite(now[i]);
      least = std::min(least, before[i]), most = std::max(most, before[i]);
      least_now = std::min(least_now, now[i]), most_now = std::max(most_now, now[i]);
    }
  }
  found.is_outside = least_now < least || most_now > most;
  return found;
}

// Numbers that the problem's own code refuses are no error: other ones are tried.
template <class T>
Step<std::optional<T>> unless_refused(Step<T> drawn) {
  if (drawn) return std::optional<T>(std::move(*drawn));
  auto* record = std::get_if<StageRecord>(&drawn.error().why);
  bool is_refusal = record && (record->failure == FailureClass::setup ||
                               record->failure == FailureClass::exception);
  if (is_refusal) return std::optional<T>();
  return std::unexpected(std::move(drawn.error()));
}

}  // namespace

// Which inputs follow from what get_inputs() draws: a triangle, a symmetric matrix, rows that sum
// up to 1. What they are by construction a kernel may rely on, and families come in where
// get_inputs() draws. Not where they have more elements than come from draws: a column that is
// repeated is no structure that anybody has to know of.
Step<void> Reference::find_groups(Family family) {
  const ProblemDescription& problem = context_.oracle.description();
  if (groups_ || !has_numbers(family)) return {};
  if (!problem.computes_inputs()) {
    groups_.emplace();
    return {};
  }
  RandomStream stream = context_.random.named("structure of inputs").named(size_);
  ASSAY_ASSIGN(SharedTensors own, room_for_inputs(problem));
  ASSAY_ASSIGN(SharedTensors other, room_for_inputs(problem));
  ASSAY_TRY(context_.oracle.draw_inputs(stream, own));
  ASSAY_ASSIGN(SharedTensors numbers,
               numbers_of({.family = Family::moderate}, Dtype::f32, 1 << 16, stream));
  std::optional<std::vector<Oracle::ComesFrom>> from;
  for (bool within : {false, true}) {
    if (from) break;
    ASSAY_ASSIGN(from,
                 unless_refused(context_.oracle.draw_inputs(stream, other, {numbers, within})));
  }
  std::map<size_t, InputGroup> groups;
  size_t n = 0;
  for (const Leaf& leaf : problem.inputs) {
    if (!leaf.tensor) continue;
    if (leaf.domain.kind != DomainKind::free) {  // it follows from nothing but that
      ++n;
      continue;
    }
    if (!leaf.draw && !from) groups[n].tensors.push_back(n);  // nobody knows: it stays as it is
    if (!leaf.draw && from && (*from)[n].numbers > 0) groups[(*from)[n].group].tensors.push_back(n);
    ++n;
  }
  std::vector<InputGroup>& found = groups_.emplace();
  for (auto& [name, group] : groups) {
    uint64_t different = 0, of_floats = 0;
    for (size_t each : group.tensors) {
      const TensorSpec& spec = own.specs()[each];
      if (!from || !is_floating(spec.dtype)) continue;
      different += differences(spec, other.tensor(each).data(), own.tensor(each).data()).count;
      of_floats = (*from)[each].numbers;
    }
    if (!from || (different > 0 && different <= of_floats)) found.push_back(std::move(group));
  }
  return {};
}

// The tensors of a group as the problem makes them of a family's numbers; of numbers in the range
// that it draws from, where it makes nothing of others; nothing where not of those either.
Step<Reference::GroupDraw> Reference::draw_group(const InputGroup& group, const FamilyFill& how,
                                                 const RandomStream& stream,
                                                 const SharedTensors& own,
                                                 const SharedTensors& drawn) const {
  uint64_t elements = 0;
  Dtype dtype = Dtype::f32;
  for (const TensorSpec& spec : own.specs())
    if (is_floating(spec.dtype)) elements += spec.elements();
  for (size_t n : group.tensors)
    if (is_floating(own.specs()[n].dtype)) dtype = own.specs()[n].dtype;
  ASSAY_ASSIGN(SharedTensors numbers, numbers_of(how, dtype, elements, stream));
  auto is_fit = [&](size_t n) {
    const TensorSpec& spec = own.specs()[n];
    auto found = differences(spec, drawn.tensor(n).data(), own.tensor(n).data());
    // The logarithm of what is negative here is no input that anybody has to expect, nor is an
    // index that is none.
    if (!is_floating(spec.dtype)) return !found.is_outside;
    const bool says_nothing =
        how.family == Family::constants && is_rough_constant(spec, drawn.tensor(n).data());
    return how.family == Family::nonfinite || (!found.overflows && !says_nothing);
  };
  for (bool within : {false, true}) {
    ASSAY_ASSIGN(auto from,
                 unless_refused(context_.oracle.draw_inputs(stream, drawn, {numbers, within})));
    if (from && std::ranges::all_of(group.tensors, is_fit))
      return within ? GroupDraw::within : GroupDraw::free;
  }
  return GroupDraw::own;
}

std::string Reference::draw_name(const Ask& ask) const {
  return fmt::format("{}/{}/{}", size_, to_word(kFamilyWords, ask.family), ask.number);
}

// Each round changes one input more, so that it differs from the one before in that alone. What
// get_inputs() computes changes together, and whole: it stays what it is by construction.
Step<Reference::Drawn> Reference::draw_touched(const Ask& ask, const RoundMemory& memory) const {
  const ProblemDescription& problem = context_.oracle.description();
  const RandomStream before = context_.random.named(*ask.earlier);
  int number = -1;  // of what may change
  auto stream_of_next = [&]() -> std::optional<RandomStream> {
    number = std::min(number + 1, kMostTouched - 1);
    if (number > ask.number) return std::nullopt;
    return context_.random.named(draw_name({ask.family, number}));
  };
  std::optional<SharedTensors> computed;
  RandomStream of_computed = before;
  if (problem.computes_inputs()) {
    ASSAY_ASSIGN(computed, room_for_inputs(problem));
    of_computed = stream_of_next().value_or(before);
    ASSAY_TRY(context_.oracle.draw_inputs(of_computed, *computed));
  }
  size_t tensor = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const Leaf& leaf = problem.inputs[i];
    if (!leaf.tensor) continue;
    const std::span<std::byte> place = memory.input(i);
    const size_t n = tensor++;
    const std::string name = fmt::format("input {}", i);
    if (!leaf.draw) {
      std::ranges::copy(computed->tensor(n), place.begin());
      ASSAY_TRY(fill_family(*leaf.tensor, nullptr, {.domain = leaf.domain}, of_computed.named(name),
                            place.data()));
      continue;
    }
    const RandomStream earlier = before.named(name);
    FamilyFill how{.family = Family::own, .domain = leaf.domain};
    std::optional<RandomStream> stream;
    if (leaf.domain.kind != DomainKind::constant) stream = stream_of_next();
    if (stream) how.family = Family::touched;
    how.earlier = &earlier;
    ASSAY_TRY(fill_family(*leaf.tensor, &*leaf.draw, how, stream ? stream->named(name) : earlier,
                          place.data()));
  }
  return Drawn{};
}

// Fills the inputs of a memory that is laid out for the problem.
Step<Reference::Drawn> Reference::draw(const Ask& ask, const RoundMemory& memory) const {
  if (ask.family == Family::touched) return draw_touched(ask, memory);
  const ProblemDescription& problem = context_.oracle.description();
  RandomStream stream = context_.random.named(draw_name(ask));
  std::optional<RandomStream> before;
  if (ask.earlier) before = context_.random.named(*ask.earlier);
  std::optional<SharedTensors> own;
  if (problem.computes_inputs()) {
    ASSAY_ASSIGN(own, room_for_inputs(problem));
    if (ask.family == Family::interior)
      ASSAY_TRY(context_.oracle.draw_interior(*before, *own));
    else
      ASSAY_TRY(context_.oracle.draw_inputs(stream, *own));
  }

  struct Tensor {
    size_t input = 0;
    FamilyFill how;
    bool is_done = false;
  };
  std::vector<Tensor> tensors;
  int floating = 0;  // so far, but for labels
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const Leaf& leaf = problem.inputs[i];
    if (!leaf.tensor) continue;
    std::span<std::byte> place = memory.input(i);
    if (!leaf.draw) std::ranges::copy(own->tensor(tensors.size()), place.begin());
    const bool is_led =
        is_floating(leaf.tensor->dtype) && leaf.domain.kind == DomainKind::free &&
        !holds_labels(*leaf.tensor, leaf.draw ? &*leaf.draw : nullptr, place.data());
    tensors.push_back({i,
                       {.family = ask.family,
                        .role = is_led ? role_of(ask, floating) : Role::other,
                        .sum_length = longest_sum(problem),
                        .attempt = ask.attempt,
                        .finite = ask.finite,
                        .domain = leaf.domain}});
    floating += is_led ? 1 : 0;
  }

  Drawn drawn;
  std::optional<SharedTensors> other;
  const std::vector<InputGroup> none;
  for (const InputGroup& group : has_numbers(ask.family) ? *groups_ : none) {
    FamilyFill how = tensors[group.tensors.front()].how;
    for (size_t n : group.tensors)
      if (tensors[n].how.role == Role::leading) how.role = Role::leading;
    for (size_t n : group.tensors) tensors[n].is_done = true;
    if (how.role == Role::other && leads_alone(how.family)) continue;
    if (!other) {
      ASSAY_ASSIGN(other, room_for_inputs(problem));
    }
    ASSAY_ASSIGN(GroupDraw came, draw_group(group, how, stream, *own, *other));
    for (size_t n : group.tensors) {
      const size_t input = tensors[n].input;
      if (came == GroupDraw::own) drawn.own.push_back(input);
      if (came == GroupDraw::within) drawn.within.push_back(input);
      if (came != GroupDraw::own) std::ranges::copy(other->tensor(n), memory.input(input).begin());
    }
  }

  for (Tensor& tensor : tensors) {
    if (tensor.is_done) continue;
    const Leaf& leaf = problem.inputs[tensor.input];
    std::string name = fmt::format("input {}", tensor.input);
    std::optional<RandomStream> earlier;
    if (before) earlier = before->named(name);
    tensor.how.earlier = earlier ? &*earlier : nullptr;
    ASSAY_TRY(fill_family(*leaf.tensor, leaf.draw ? &*leaf.draw : nullptr, tensor.how,
                          stream.named(name), memory.input(tensor.input).data()));
  }
  return drawn;
}

}  // namespace assay
