// What is asked of the oracle for several inputs at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "verify/elements.h"
#include "verify/number.h"
#include "verify/reference.h"

namespace assay {
namespace {

// Of all that belongs to the slots of one question.
constexpr uint64_t kMostSlotBytes = uint64_t{64} << 20;

// Far from what it was, and beyond most of its neighbours.
void change_element(const TensorSpec& spec, std::byte* tensor, uint64_t index) {
  constexpr double kFar = 16;
  double value = 0;
  load(spec, tensor, index, {&value, 1});
  value = kFar * (std::fabs(value) + 1);
  std::array<std::byte, sizeof(double)> packed{};
  store_block(spec.dtype, &value, 1, packed.data());
  scatter(spec, tensor, index, 1, packed.data());
}

bool is_picks(const Leaf& leaf) { return leaf.picks.has_value(); }

bool is_same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

}  // namespace

bool Reference::may_expect_several() const {
  return !chunks_ && std::ranges::none_of(problem().outputs, &Leaf::from_picks);
}

Step<std::vector<Reference::Expected>> Reference::expect_several(std::span<const Ask> asks,
                                                                 const RoundMemory& memory) {
  std::vector<Expected> all;
  for (const Ask& ask : asks) {
    Expected& expected = all.emplace_back();
    expected.ask = ask;
    ASSAY_ASSIGN(expected.inputs, draw(ask, memory.slot(all.size() - 1)));
  }
  Oracle::Computation what = memory.computation(problem());
  what.in_double = computes_in_double();
  what.slots = asks.size();
  ASSAY_ASSIGN(Computed computed, context_.oracle.compute(what));
  const std::vector<bool> exact = std::move(computed.exact_keys);
  const auto keys = static_cast<std::ptrdiff_t>(exact.size() / std::max<size_t>(all.size(), 1));
  for (size_t slot = 0; slot < all.size(); ++slot) {
    const auto first = exact.begin() + static_cast<std::ptrdiff_t>(slot) * keys;
    all[slot].computed = computed;
    all[slot].computed.exact_keys.assign(first, first + keys);
    add_rules(memory.slot(slot), all[slot]);
  }
  return all;
}

Step<int> Reference::count_telling(size_t input, int tries, const RandomStream& stream) {
  const TensorSpec& spec = *problem().inputs[input].tensor;
  const auto at_once = std::clamp<uint64_t>(kMostSlotBytes / (problem().bytes() + 1), 2,
                                            static_cast<uint64_t>(tries) + 1);
  ASSAY_ASSIGN(RoundMemory memory, RoundMemory::create(problem(), 0, nullptr, at_once, at_once));
  const Ask own{.family = Family::own};
  ASSAY_TRY(draw(own, memory.slot(0)));
  Oracle::Computation what = memory.computation(problem());
  // What picks point into comes with the results in double, and is another with each input.
  what.in_double = computes_in_double() && std::ranges::none_of(problem().outputs, is_picks);
  const SharedTensors& results = what.in_double ? memory.reference : memory.baseline;
  int telling = 0;
  for (int tried = 0; tried < tries;) {
    what.slots = 1;
    for (size_t slot = 1; slot < at_once && tried < tries; ++slot, ++tried, ++what.slots) {
      std::ranges::copy(memory.inputs.all(), memory.inputs.all(slot).begin());
      std::ranges::copy(memory.inout.all(), memory.inout.all(slot).begin());
      change_element(spec, memory.slot(slot).input(input).data(),
                     stream.below(static_cast<uint64_t>(tried), spec.elements()));
    }
    ASSAY_TRY(context_.oracle.compute(what));
    for (size_t slot = 1; slot < what.slots; ++slot)
      telling += is_same(results.all(slot), results.all()) ? 0 : 1;
  }
  return telling;
}

}  // namespace assay
