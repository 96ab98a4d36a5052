// What the results of a round are held against: everything at once (reference_chunks.cc: in
// pieces).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "verify/elements.h"
#include "verify/families.h"
#include "verify/jumps.h"
#include "verify/likeness.h"
#include "verify/product_check.h"
#include "verify/reference.h"
#include "verify/same_bits.h"
#include "verify/unaffected.h"

namespace assay {
namespace {

// A floating-point result in double.
std::vector<std::byte> widened(const TensorSpec& spec, std::span<const std::byte> tensor) {
  std::vector<std::byte> wide(spec.elements() * sizeof(double));
  std::array<double, kBlockElements> block;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, tensor.data(), first, {block.data(), count});
    std::memcpy(wide.data() + first * sizeof(double), block.data(), count * sizeof(double));
  }
  return wide;
}

}  // namespace

// The inputs of a round, moved by so many steps. Memory of its own: what the candidate has left of
// those that it may change is being judged.
Step<RoundMemory> Reference::moved_inputs(const Ask& ask, int pattern, double steps) const {
  const ProblemDescription& problem = context_.oracle.description();
  ASSAY_ASSIGN(RoundMemory other, RoundMemory::create(problem, 0));
  RandomStream stream =
      context_.random.named(draw_name(ask)).named(fmt::format("moved {}", pattern));
  ASSAY_TRY(draw(ask, other));
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    if (!problem.inputs[i].tensor || problem.inputs[i].domain.kind == DomainKind::constant)
      continue;
    const TensorSpec& spec = *problem.inputs[i].tensor;
    // One step of half precision is much already: it is computed in more.
    bool is_half = spec.dtype == Dtype::f16 || spec.dtype == Dtype::bf16;
    perturb(spec, stream.named(fmt::format("input {}", i)), other.input(i).data(),
            is_half ? std::clamp(steps, -1.0, 1.0) : steps);
  }
  return other;
}

// The results of such. A problem may have none: what it multiplies to be an index is one too large.
Step<std::optional<RoundMemory>> Reference::moved_results(const Ask& ask, int pattern,
                                                          double steps) const {
  ASSAY_ASSIGN(RoundMemory other, moved_inputs(ask, pattern, steps));
  auto computed = compute(other, false, nullptr);
  if (computed) return std::optional(std::move(other));
  if (std::holds_alternative<StageRecord>(computed.error().why) && context_.oracle.is_running())
    return std::nullopt;
  return std::unexpected(std::move(computed.error()));
}

// Results of inputs that differ by a rounding: what they differ by, nobody can be blamed for. The
// most of a few directions: in one of them two inputs may move alike, and what differs in them not.
// There, and a few roundings away, the baseline is off by more where it was lucky here.
Step<void> Reference::find_sensitivity(const Ask& ask, const std::optional<ProductRound>& product,
                                       Round& round) const {
  if (product && product->probed) {
    ASSAY_ASSIGN(RoundMemory near, moved_inputs(ask, 0, 1));
    find_product_sensitivity(*product, *product_in(near), round.outputs[0]);
    return {};
  }
  constexpr int kDirections = 4;
  constexpr double kFew = 4;
  // Whole numbers that are proven to be cost no rounding: there the baseline has no luck.
  const bool is_luck_possible = !round.integers_proven;
  for (OutputFigures& output : round.outputs) output.sensitivity.emplace();
  auto widen_by = [&](const RoundMemory& near, bool is_nearest) {
    for (size_t i = 0; i < round.outputs.size(); ++i) {
      const Figures& figures = round.outputs[i].figures;
      Sensitivity& known = *round.outputs[i].sensitivity;
      if (is_nearest) known.widen(moved_to(near, i, round.outputs[i]));
      if (!is_luck_possible || !is_floating(figures.dtype)) continue;
      const std::byte* baseline = near.baseline.tensor(i).data();
      known.widen(baseline_error(compare(near.values(i, figures.elements, baseline))));
    }
  };
  for (int pattern = 0; pattern < kDirections; ++pattern) {
    for (const double steps : {1.0, kFew}) {
      if (steps != 1 && !is_luck_possible) continue;
      ASSAY_ASSIGN(auto near, moved_results(ask, pattern, steps));
      if (near) widen_by(*near, steps == 1);
    }
  }
  return {};
}

// The same inputs, and results as they are with equal elements in another order, the n-th from 1.
Step<RoundMemory> Reference::shaken(const Ask& ask, int n, double times) const {
  ASSAY_ASSIGN(RoundMemory other, moved_inputs(ask, 0, 0));
  Oracle::Computation what = other.computation(context_.oracle.description());
  what.shake = n;
  what.shake_times = times;
  ASSAY_TRY(context_.oracle.compute(what));
  return other;
}

// With several choices of finite numbers in place of some that are not: what none of them changes
// becomes the exact result, where the candidate has no NaN. Counts by output. False: all that
// lacked NaN is taken.
Step<bool> Reference::take_unaffected(Ask ask, const Round& round,
                                      std::vector<uint64_t>& taken) const {
  std::vector<std::optional<Unaffected>> found(round.outputs.size());
  auto lacks_more = [&](size_t i) { return round.outputs[i].figures.dropped > taken[i]; };
  for (ask.finite.choice = 0; ask.finite.choice < kFiniteChoices; ++ask.finite.choice) {
    ASSAY_ASSIGN(auto near, moved_results(ask, 0, 0));
    if (!near) return true;  // the problem has no result for these
    for (size_t i = 0; i < found.size(); ++i) {
      if (!is_floating(round.outputs[i].figures.dtype) || !lacks_more(i)) continue;
      const std::byte* exact = near->reference.tensor(i).data();
      if (found[i])
        found[i]->add(exact);
      else
        found[i].emplace(round.outputs[i].values, exact, near->baseline.tensor(i).data());
    }
  }
  bool more = false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] && found[i]->some_are_affected())
      taken[i] += found[i]->take_over(round.outputs[i].values, memory_->reference.tensor(i).data(),
                                      memory_->baseline.tensor(i).data());
    more |= lacks_more(i);
  }
  return more;
}

// Where the exact result is NaN and does not depend on what is not finite, a candidate that never
// read that is held to what there is otherwise. Where an infinity counts and something beside it
// does not, all is NaN: so it is looked at by kinds, and for each place by itself. True where there
// are such elements: then it has to be judged once more.
Step<bool> Reference::find_unaffected(const Ask& ask, Round& round) const {
  constexpr int kMostKept = 16;
  constexpr unsigned kNan = FiniteChoice::kNan, kUp = FiniteChoice::kUp,
                     kDown = FiniteChoice::kDown, kAll = FiniteChoice::kAll;
  std::vector<FiniteChoice> choices;
  for (unsigned kinds : {kAll, kNan, kUp, kDown, kUp | kDown, kNan | kDown, kNan | kUp})
    choices.push_back({.kinds = kinds});
  for (int kept = 0; kept < kMostKept; ++kept) choices.push_back({.kinds = kAll, .kept = kept});
  std::vector<uint64_t> taken(round.outputs.size());
  Ask finite = ask;
  for (const FiniteChoice& choice : choices) {
    finite.finite = choice;
    ASSAY_ASSIGN(bool more, take_unaffected(finite, round, taken));
    if (!more) break;
  }
  for (size_t i = 0; i < taken.size(); ++i) round.outputs[i].unaffected = taken[i];
  return std::ranges::any_of(taken, [](uint64_t count) { return count > 0; });
}

// Where single elements jump, the candidate is held to the side of the jump that it is on. True
// where something is known now that was not: then it has to be judged once more. Each turn, from 0,
// looks in other directions.
Step<bool> Reference::find_jumps(const Ask& ask, int turn, Round& round) const {
  auto is_looked_at = [](const OutputFigures& output) {
    return output.sensitivity && !output.picks;
  };
  if (std::ranges::none_of(round.outputs, is_looked_at)) return false;
  auto known = [&] {
    uint64_t count = 0;
    for (const OutputFigures& output : round.outputs) count += output.jumps + output.moved_by_order;
    return count;
  };
  const uint64_t known_before = known();
  // `results` of inputs nearby: exact ones, or as torch has them at this precision, where sums of
  // large numbers may round to equal ones.
  enum class Why { rounding, order, farther_order };
  auto take_over = [&](const SharedTensors& results, Why why) {
    for (size_t i = 0; i < round.outputs.size(); ++i) {
      OutputFigures& output = round.outputs[i];
      if (!is_looked_at(output) || (why != Why::rounding && !output.from_picks)) continue;
      const std::byte* there = results.tensor(i).data();
      std::vector<std::byte> wide;
      if (results.specs()[i].dtype != memory_->reference.specs()[i].dtype) {
        wide = widened(results.specs()[i], results.tensor(i));
        there = wide.data();
      }
      const double largest = output.figures.exact_max;
      const uint64_t most = most_jumps(output.figures.elements);
      if (why == Why::order) {
        const uint64_t moved = count_moved(output.values, largest, there);
        output.moved_by_order = std::max(output.moved_by_order, moved);
        output.order_decides = output.moved_by_order > most;
      }
      output.jumps += take_over_jumps(output.values, largest, there, why != Why::rounding,
                                      memory_->reference.tensor(i).data(), most - output.jumps);
    }
  };
  // Whole numbers that are proven to be are what they are.
  if (!round.integers_proven) {
    // Both ways, and a few roundings: so far a sound formula may be off before it comes to the
    // jump.
    struct Move {
      int pattern;
      double steps;
    };
    std::vector<Move> moves{
        {2 * turn + 1, 4}, {2 * turn + 1, -4}, {2 * turn + 2, 4}, {2 * turn + 2, -4}};
    if (turn == 0) moves.insert(moves.begin(), {{0, 1}, {0, -1}});
    for (auto [pattern, steps] : moves) {
      ASSAY_ASSIGN(auto near, moved_results(ask, pattern, steps));
      if (!near) continue;
      take_over(near->reference, Why::rounding);
      take_over(near->baseline, Why::rounding);
    }
  }
  // Two elements that are equal come either way round in half of these.
  constexpr int kOrders = 8;
  constexpr double kFarther = 12;
  const bool have_order =
      turn == 0 && std::ranges::any_of(round.outputs, &OutputFigures::from_picks);
  for (int n = 1; have_order && n <= kOrders; ++n) {
    ASSAY_ASSIGN(RoundMemory near, shaken(ask, n, 1));
    take_over(near.reference, Why::order);
    // A candidate's own keys may be off by more. That excuses what it has, and nothing beside.
    ASSAY_ASSIGN(RoundMemory far, shaken(ask, kOrders + n, kFarther));
    take_over(far.reference, Why::farther_order);
  }
  return known() > known_before;
}

// How far the exact result of a round is from another one.
Sensitivity Reference::moved_to(const RoundMemory& other, size_t output,
                                const OutputFigures& judged) const {
  const uint64_t elements = judged.figures.elements;
  if (is_floating(judged.figures.dtype)) {
    SensitivitySums sums(judged.figures.dtype);
    sums.add(memory_->exact(output), other.exact(output), elements);
    return sums.sensitivity();
  }
  Sensitivity moved;
  const Dtype dtype = memory_->reference.specs()[output].dtype;
  const std::byte *here = memory_->reference.tensor(output).data(),
                  *there = other.reference.tensor(output).data();
  moved.unequal = judged.picks
                      ? judge_picks(*judged.picks, dtype, there, dtype, here, elements).wrong
                      : difference(dtype, elements, here, there).count;
  return moved;
}

Round Reference::unjudged_round(const Ask& ask, const Poison& poison,
                                const std::vector<JudgedResult>& judged) const {
  Round round;
  round.family = ask.family;
  round.size = size_;
  round.seed = draw_name(ask);
  for (size_t i = 0; i < judged.size(); ++i) {
    OutputFigures output;
    output.name = judged[i].name;
    output.shape = judged[i].spec.shape;
    if (i < memory_->outputs.count()) {
      auto found = poison.find(judged[i].spec.dtype, judged[i].candidate);
      output.unwritten = found.count;
      output.first_unwritten = found.first;
    }
    round.outputs.push_back(std::move(output));
  }
  return round;
}

// Of whole numbers that came to be where the order of equal elements is open.
void Reference::judge_order(const Leaf& leaf, const Computed& computed, size_t& picks,
                            OutputFigures& output) const {
  output.from_picks = leaf.from_picks;
  output.order_open = leaf.order_open;
  if (!leaf.picks) return;
  const size_t n = picks++;
  output.picks = {&*leaf.picks, memory_->key(n), computed.exact_keys[n]};
  Figures& figures = output.figures;
  if (figures.unequal == 0 && figures.baseline_unequal == 0) return;
  const Values& values = output.values;
  auto judged = [&](const std::byte* indices) {
    return judge_picks(*output.picks, values.dtype, indices, values.exact_dtype, values.exact,
                       values.elements);
  };
  PickFigures candidate = judged(values.candidate);
  figures.unequal = candidate.wrong;
  figures.baseline_unequal = judged(values.baseline).wrong;
  figures.first_unequal.reset();
  if (candidate.first_wrong) figures.first_unequal = sample(output.values, *candidate.first_wrong);
  output.moved = candidate.moved;
}

void Reference::compare_all(const std::vector<JudgedResult>& judged, const Computed& computed,
                            const Rules& rules, Round& round) const {
  size_t picks = 0;
  const bool probed = rules.product && rules.product->probed;
  const bool is_told = context_.tells_likeness && round.family == Family::own && !probed;
  for (size_t i = 0; i < judged.size(); ++i) {
    OutputFigures& output = round.outputs[i];
    output.values = memory_->values(i, judged[i].spec.elements(), judged[i].candidate.data());
    if (probed)
      output.values.exact = nullptr;
    else
      output.figures = compare(output.values);
    if (is_told && is_floating(judged[i].spec.dtype))
      output.likeness = likeness(output.values, judged[i].spec.shape);
    if (judged[i].leaf) judge_order(*judged[i].leaf, computed, picks, output);
    if (rules.product) check_product(*rules.product, output);
    if (rules.sums) check_sums(*rules.sums, output);
  }
}

}  // namespace assay
