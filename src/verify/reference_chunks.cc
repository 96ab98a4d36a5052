// What is otherwise where the problem is computed a few rows at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "run/outcome.h"
#include "verify/elements.h"
#include "verify/reference.h"
#include "verify/same_bits.h"

namespace assay {
namespace {

// As many elements as `to` has, of any strides.
void copy_elements(const TensorSpec& from, const std::byte* source, uint64_t first,
                   const TensorSpec& to, std::byte* target) {
  std::vector<std::byte> packed(kBlockElements * bytes_of(from.dtype));
  for (uint64_t done = 0; done < to.elements(); done += kBlockElements) {
    uint64_t count = std::min(kBlockElements, to.elements() - done);
    gather(from, source, first + done, count, packed.data());
    scatter(to, target, done, count, packed.data());
  }
}

// Of two ways to compute the same in double: apart by no more than its roundings. Whole numbers:
// not at all.
bool nearly_same(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b) {
  if (dtype != Dtype::f64) return difference(dtype, elements, a, b).count == 0;
  const auto *x = reinterpret_cast<const double*>(a), *y = reinterpret_cast<const double*>(b);
  double largest = 0, apart = 0;
  for (uint64_t i = 0; i < elements; ++i) {
    if (std::isfinite(x[i]) != std::isfinite(y[i])) return false;
    if (!std::isfinite(x[i])) continue;
    largest = std::max(largest, std::fabs(x[i]));
    apart = std::max(apart, std::fabs(x[i] - y[i]));
  }
  return apart <= 0x1p-30 * largest;
}

}  // namespace

// Chunks are proven to be what all is before they are made. This looks again, at numbers: half
// chunks give what the chunk gives.
Step<void> Reference::confirm_chunks(const Chunk& first) const {
  if (first.rows < 2) return {};
  const ChunkPlan& plan = *chunks_;
  ASSAY_TRY(compute(*memory_, false, &first));
  std::vector<std::byte> whole(memory_->reference.all().begin(), memory_->reference.all().end());
  const std::byte* begin = memory_->reference.all().data();
  const int64_t half = first.rows / 2;
  for (Chunk part : {Chunk{0, half}, Chunk{half, first.rows - half}}) {
    ASSAY_TRY(compute(*memory_, false, &part));
    for (size_t i = 0; i < memory_->reference.count(); ++i) {
      const TensorSpec& spec = memory_->reference.specs()[i];
      const std::byte* now = memory_->reference.tensor(i).data();
      ElementRange range = elements_of(spec, plan.groups[i], part);
      const std::byte* then = whole.data() + (now - begin) + range.first * bytes_of(spec.dtype);
      if (!nearly_same(spec.dtype, range.count, then, now))
        return std::unexpected(Stop(
            blamed_on(Fault::assay,
                      not_judged_stage(
                          Stage::verify,
                          fmt::format("its rows were to be computed {} at a time, and half as "
                                      "many gave other results: a bug in assay, please report it",
                                      first.rows)))));
    }
  }
  return {};
}

// The first chunk has been computed, before the window; others have taken its place where these
// inputs have been judged before.
Step<void> Reference::compare_chunks(const std::vector<JudgedResult>& judged, Expected& expected,
                                     bool first_is_there, Round& round) const {
  const ChunkPlan& plan = *chunks_;
  std::vector<OutputComparison> comparisons;
  for (size_t i = 0; i < judged.size(); ++i)
    comparisons.emplace_back(judged[i].spec.dtype, memory_->reference.specs()[i].dtype);
  for (const Chunk& chunk : chunks_of(plan)) {
    if (chunk.first > 0 || !first_is_there) {
      ASSAY_ASSIGN(Computed computed,
                   compute(*memory_, expected.ask.family == Family::integers, &chunk));
      Computed& all = expected.computed;
      all.draws |= computed.draws;
      all.integers &= computed.integers;
      if (all.not_integers.empty()) all.not_integers = computed.not_integers;
      all.too_large |= computed.too_large;
    }
    std::vector<Values> pieces;
    for (size_t i = 0; i < judged.size(); ++i) {
      const Dtype dtype = judged[i].spec.dtype;
      ElementRange range = elements_of(judged[i].spec, plan.groups[i], chunk);
      const std::byte* candidate = judged[i].candidate.data() + range.first * bytes_of(dtype);
      pieces.push_back(memory_->values(i, range.count, candidate));
    }
    if (may_be_mixed(expected.ask)) ASSAY_TRY(take_mixed_chunk(chunk, judged, pieces, round));
    for (size_t i = 0; i < judged.size(); ++i) comparisons[i].add(pieces[i]);
  }
  for (size_t i = 0; i < judged.size(); ++i) round.outputs[i].figures = comparisons[i].figures();
  return {};
}

Step<void> Reference::find_sensitivity_in_chunks(const Ask& ask, Round& round) const {
  const ProblemDescription& problem = context_.oracle.description();
  const ChunkPlan& plan = *chunks_;
  const ProblemDescription most = part_of(problem, plan, plan.rows);
  ASSAY_ASSIGN(RoundMemory other, RoundMemory::create(most, 0));
  RandomStream stream = context_.random.named(draw_name(ask)).named("perturbed");
  std::vector<SensitivitySums> sums;
  std::vector<OutputComparison> baselines;  // and itself in the candidate's place
  for (size_t i = 0; i < round.outputs.size(); ++i) {
    const Dtype dtype = round.outputs[i].figures.dtype;
    sums.emplace_back(dtype);
    baselines.emplace_back(dtype, other.reference.specs()[i].dtype);
  }
  std::vector<uint64_t> unequal(round.outputs.size());
  for (const Chunk& chunk : chunks_of(plan)) {
    const ProblemDescription part = part_of(problem, plan, chunk.rows);
    for (size_t i = 0; i < problem.inputs.size(); ++i) {
      if (!problem.inputs[i].tensor) continue;
      bool has_rows = std::ranges::find(plan.inputs, i) != plan.inputs.end();
      const TensorSpec& spec = *part.inputs[i].tensor;
      uint64_t first = has_rows ? elements_of(*problem.inputs[i].tensor, 1, chunk).first : 0;
      copy_elements(*problem.inputs[i].tensor, memory_->input(i).data(), first, spec,
                    other.input(i).data());
      // What all rows share is perturbed alike for all.
      std::string name = fmt::format("input {}", i);
      if (has_rows) name += fmt::format(" from row {}", chunk.first);
      if (problem.inputs[i].domain.kind != DomainKind::constant)
        perturb(spec, stream.named(name), other.input(i).data());
    }
    ASSAY_TRY(compute(*memory_, false, &chunk));
    Oracle::Computation what = other.computation(most);
    what.inputs = inputs_of(std::move(what.inputs), most, plan, {0, chunk.rows});
    what.part = &part;
    ASSAY_TRY(context_.oracle.compute(what));
    for (size_t i = 0; i < sums.size(); ++i) {
      const uint64_t elements = part.outputs[i].tensor->elements();
      if (is_floating(round.outputs[i].figures.dtype)) {
        sums[i].add(memory_->exact(i), other.exact(i), elements);
        baselines[i].add(other.values(i, elements, other.baseline.tensor(i).data()));
      } else {
        unequal[i] +=
            difference(memory_->reference.specs()[i].dtype, elements,
                       memory_->reference.tensor(i).data(), other.reference.tensor(i).data())
                .count;
      }
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    Sensitivity found = sums[i].sensitivity();
    found.unequal = unequal[i];
    // Whole numbers that are proven to be cost no rounding.
    if (!round.integers_proven) found.widen(baseline_error(baselines[i].figures()));
    round.outputs[i].sensitivity = found;
  }
  return {};
}

}  // namespace assay
