// What the results of a round are held against: everything at once (launch_chunks.cc: in pieces).
#include <fmt/format.h>

#include <algorithm>

#include "verify/families.h"
#include "verify/launch.h"
#include "verify/product_check.h"

namespace assay {

// Results of inputs that differ by a rounding: what they differ by, nobody can be blamed for.
Step<void> Launch::find_sensitivity(const Ask& ask, const std::optional<ProductRound>& product,
                                    Round& round) const {
  const ProblemDescription& problem = context_.oracle.description();
  ASSAY_ASSIGN(RoundMemory other, RoundMemory::create(problem, 0));
  RandomStream stream = context_.random.named(draw_name(ask)).named("perturbed");
  // Drawn again: what the candidate has left of those that it may change is being judged.
  ASSAY_TRY(draw(ask, other));
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].tensor)
      perturb(*problem.inputs[i].tensor, stream.named(fmt::format("input {}", i)),
              other.input(i).data());
  if (product && product->probed) {
    find_product_sensitivity(*product, *product_in(other), round.outputs[0]);
    return {};
  }
  ASSAY_TRY(compute(other, false, nullptr));
  for (size_t i = 0; i < round.outputs.size(); ++i) {
    if (!is_floating(round.outputs[i].figures.dtype)) continue;
    SensitivitySums sums(round.outputs[i].figures.dtype);
    sums.add(memory_->exact(i), other.exact(i), round.outputs[i].figures.elements);
    round.outputs[i].sensitivity = sums.sensitivity();
  }
  return {};
}

Round Launch::unjudged_round(const Ask& ask, const Poison& poison,
                             const std::vector<JudgedResult>& judged) const {
  Round round;
  round.family = ask.family;
  round.size = setting_.size;
  round.seed = draw_name(ask);
  round.may_spread = context_.oracle.description().mixes;
  for (size_t i = 0; i < judged.size(); ++i) {
    OutputFigures output;
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
void Launch::judge_order(const Leaf& leaf, const Computed& computed, size_t& picks,
                         OutputFigures& output) const {
  output.order_open = leaf.order_open && computed.ties;
  if (!leaf.picks) return;
  const size_t n = picks++;
  Figures& figures = output.figures;
  if (figures.unequal == 0 && figures.baseline_unequal == 0) return;
  auto judged = [&](const std::byte* indices) {
    const Values& values = output.values;
    return judge_picks(*leaf.picks, values.dtype, indices, values.exact_dtype, values.exact,
                       values.elements, memory_->key(n), computed.tolerances[n]);
  };
  PickFigures candidate = judged(output.values.candidate);
  figures.unequal = candidate.wrong;
  figures.baseline_unequal = judged(output.values.baseline).wrong;
  figures.first_unequal.reset();
  if (candidate.first_wrong) figures.first_unequal = sample(output.values, *candidate.first_wrong);
  output.moved = candidate.moved;
}

void Launch::compare_all(const std::vector<JudgedResult>& judged, const Computed& computed,
                         const std::optional<ProductRound>& product, Round& round) const {
  size_t picks = 0;
  const bool probed = product && product->probed;
  for (size_t i = 0; i < judged.size(); ++i) {
    OutputFigures& output = round.outputs[i];
    output.values = {.dtype = judged[i].spec.dtype,
                     .elements = judged[i].spec.elements(),
                     .candidate = judged[i].candidate.data(),
                     .baseline = memory_->baseline.tensor(i).data(),
                     .exact = probed ? nullptr : memory_->reference.tensor(i).data(),
                     .exact_dtype = memory_->reference.specs()[i].dtype};
    if (!probed) output.figures = compare(output.values);
    if (judged[i].leaf) judge_order(*judged[i].leaf, computed, picks, output);
    if (product) check_product(*product, output);
  }
}

}  // namespace assay
