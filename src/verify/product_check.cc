#include "verify/product_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "verify/number.h"

namespace assay {
namespace {

// Up to so many multiplications, a fifth of a second of one core in double, C is compared element
// by element with its result in double. Beyond, that would take longer than the baseline and most
// candidates do: in f32 and f16 two to four times as long, and in the end hours.
constexpr double kMostInDouble = 1u << 30;
// From here on sums of 8-bit products may leave 32 bits, as every candidate's then do, and probes
// modulo 2^64 would call all of them wrong.
constexpr int64_t kLongestWholeSum = int64_t{1} << 17;
// Rows that are worked out whole where probes measure the others.
constexpr int64_t kExactRows = 16;
// Elements worked out because candidate and baseline differ in being finite.
constexpr uint64_t kDoubtful = 1024;

Values packed(const OutputFigures& output, const std::vector<std::byte>& candidate,
              const std::vector<std::byte>& baseline, const std::vector<double>& exact) {
  return {.dtype = output.values.dtype,
          .elements = exact.size(),
          .candidate = candidate.data(),
          .baseline = baseline.data(),
          .exact = reinterpret_cast<const std::byte*>(exact.data())};
}

// Figures of some elements, their samples at their places in C.
Figures compare_at(const OutputFigures& output, const std::vector<uint64_t>& places,
                   const std::vector<double>& exact) {
  auto candidate = pick(output.values.dtype, output.values.candidate, places);
  auto baseline = pick(output.values.dtype, output.values.baseline, places);
  Figures figures = compare(packed(output, candidate, baseline, exact));
  if (figures.elements > 0) figures.worst.index = places[figures.worst.index];
  for (auto* each : {&figures.first_dropped, &figures.first_spread, &figures.first_unequal})
    if (*each) (*each)->index = places[(*each)->index];
  return figures;
}

std::vector<uint64_t> places_of(const ExactRows& rows, int64_t n) {
  std::vector<uint64_t> places;
  for (int64_t row : rows.rows)
    for (int64_t j = 0; j < n; ++j) places.push_back(static_cast<uint64_t>(row * n + j));
  return places;
}

bool is_same_kind(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return true;
  return std::isnan(a) ? std::isnan(b) : a == b;
}

// Elements of which one of the two is not finite, and the other is otherwise.
std::vector<uint64_t> doubtful(const Values& values, uint64_t most) {
  std::vector<uint64_t> places;
  std::vector<double> c(1 << 12), b(c.size());
  const uint64_t size = bytes_of(values.dtype);
  for (uint64_t first = 0; first < values.elements && places.size() < most; first += c.size()) {
    uint64_t count = std::min<uint64_t>(c.size(), values.elements - first);
    load_block(values.dtype, values.candidate + first * size, count, c.data());
    load_block(values.dtype, values.baseline + first * size, count, b.data());
    for (uint64_t i = 0; i < count && places.size() < most; ++i)
      if (!is_same_kind(c[i], b[i])) places.push_back(first + i);
  }
  return places;
}

// What is not finite in a product has a row or a column that is not. NaN may stand for infinity
// there, and infinity for NaN: for how many elements it does.
uint64_t take_out_exchanged(Figures& figures) {
  figures.dropped -= figures.exchanged;
  if (figures.dropped == 0) figures.first_dropped.reset();
  return std::exchange(figures.exchanged, 0);
}

// What the baseline can say of every element: whether it is finite, and the tolerances of others.
// Where the two differ the exact result decides; it is worked out for the first of these.
void take_from_baseline(const Product& product, OutputFigures& output) {
  Values values = output.values;
  values.exact = values.baseline;
  values.exact_dtype = values.dtype;
  Figures against = compare(values);
  Figures& figures = output.figures;
  figures.beyond_kernelbench = against.beyond_kernelbench;
  figures.beyond_torch = against.beyond_torch;
  figures.dropped = figures.spread = 0;
  figures.first_dropped = figures.first_spread = std::nullopt;
  uint64_t differ = against.dropped + against.spread;
  figures.left_out = figures.elements - figures.compared;
  if (differ == 0) return;
  std::vector<uint64_t> places = doubtful(output.values, kDoubtful);
  std::vector<double> exact;
  for (uint64_t place : places) exact.push_back(exact_element(product, place));
  Figures decided = compare_at(output, places, exact);
  output.mixed = take_out_exchanged(decided);
  figures.dropped = decided.dropped;
  figures.first_dropped = decided.first_dropped;
  figures.spread = decided.spread;
  figures.first_spread = decided.first_spread;
  // The others are of the same kinds, as far as the baseline can tell.
  uint64_t others = differ - std::min<uint64_t>(differ, places.size());
  if (figures.dropped > 0 && figures.spread > 0) {
    figures.dropped = std::max(figures.dropped, against.dropped);
    figures.spread = std::max(figures.spread, against.spread);
  } else if (figures.dropped > 0) {
    figures.dropped += others;
  } else if (figures.spread > 0) {
    figures.spread += others;
  }
}

// Of whole numbers in a floating type: rows that are not exactly right, and by how much.
void take_whole(const ProductRound& round, OutputFigures& output) {
  Probes probes(round.product, round.stream.named("whole probes"), round.threads, true);
  Figures whole = probes.check(output.values.candidate, output.values.baseline);
  output.figures.unequal = whole.unequal;
  output.figures.baseline_unequal = whole.baseline_unequal;
  output.figures.first_unequal = whole.first_unequal;
  if (!whole.first_unequal) return;
  double error = std::fabs(whole.worst.candidate - whole.worst.exact);
  if (!(error > output.figures.candidate_max)) return;
  output.figures.candidate_max = error;
  output.figures.worst = whole.worst;
}

void hold_to_bound(const SumRound& round, OutputFigures& output) {
  const Dtype dtype = output.values.dtype;
  const SampledSums& sampled = *round.sampled;
  BoundFigures& found = output.bound.emplace();
  auto mine = pick(dtype, output.values.candidate, sampled.places);
  BeyondBound beyond = beyond_bound(sampled, dtype, round.terms, round.family, mine.data());
  found.held = beyond.held;
  found.beyond = beyond.count;
  found.part_of_bound = beyond.most;
  if (beyond.count == 0) return;
  auto baseline = pick(dtype, output.values.baseline, sampled.places);
  found.baseline_beyond =
      beyond_bound(sampled, dtype, round.terms, round.family, baseline.data()).count;
  auto theirs = pick(dtype, output.values.baseline, {sampled.places[beyond.first]});
  Sample& first = found.first_beyond.emplace();
  first.index = sampled.places[beyond.first];
  load_block(dtype, mine.data() + beyond.first * bytes_of(dtype), 1, &first.candidate);
  load_block(dtype, theirs.data(), 1, &first.baseline);
  first.exact = sampled.exact[beyond.first];
  found.bound = beyond.bound;
  found.error_beyond = beyond.error;
}

// Nothing else is more exact than a result in f64 itself. Eager in double is what it would be
// compared with: it had no error at all.
void measure_baseline(const SampledSums& sampled, OutputFigures& output) {
  if (output.values.dtype != Dtype::f64) return;
  Figures exact = compare_at(output, sampled.places, sampled.exact);
  output.figures.baseline_rms = std::max(output.figures.baseline_rms, exact.baseline_rms);
  output.figures.baseline_max = std::max(output.figures.baseline_max, exact.baseline_max);
}

// Inputs of one type, and a result, that have the shapes of these sums.
bool has_shapes_of(const SumShape& sum, const ProblemDescription& problem) {
  std::vector<std::vector<int64_t>> inputs{sum.a};
  if (!sum.b.empty()) inputs.push_back(sum.b);
  if (problem.inputs.size() != inputs.size() || problem.outputs.size() != 1 ||
      !problem.mutated_inputs.empty())
    return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& tensor = problem.inputs[i].tensor;
    if (!tensor || !tensor->is_dense() || tensor->shape != inputs[i] ||
        tensor->dtype != problem.inputs[0].tensor->dtype)
      return false;
  }
  std::vector<int64_t> result;
  for (const SumLoop& loop : sum.over) result.push_back(loop.size);
  return problem.outputs[0].tensor && problem.outputs[0].tensor->shape == result;
}

}  // namespace

std::optional<ProductShape> product_of(const std::optional<ProductShape>& said,
                                       const ProblemDescription& problem) {
  if (!said || !has_shapes_of(sum_of(*said), problem)) return std::nullopt;
  ProductShape shape = *said;
  shape.dtype = problem.inputs[0].tensor->dtype;
  shape.result = problem.outputs[0].tensor->dtype;
  bool same = is_floating(shape.dtype) ? shape.result == shape.dtype
                                       : !is_floating(shape.result) && said->dtype == shape.dtype;
  return same ? std::optional(shape) : std::nullopt;
}

std::optional<SumShape> sums_of(const std::optional<SumShape>& said,
                                const ProblemDescription& problem) {
  if (!said || !has_shapes_of(*said, problem) || !problem.outputs[0].tensor->is_dense())
    return std::nullopt;
  SumShape sum = *said;
  sum.dtype = problem.inputs[0].tensor->dtype;
  sum.result = problem.outputs[0].tensor->dtype;
  if (!is_floating(sum.dtype)) return std::nullopt;
  const bool is_said = sum.dtype == said->dtype && sum.result == said->result;
  const bool is_of_one_type = said->dtype == said->result && sum.dtype == sum.result;
  return is_said || is_of_one_type ? std::optional(sum) : std::nullopt;
}

bool is_probed(const std::optional<ProductShape>& shape) {
  if (!shape || (!is_floating(shape->dtype) && shape->k >= kLongestWholeSum)) return false;
  return static_cast<double>(shape->m) * static_cast<double>(shape->n) *
             static_cast<double>(shape->k) >
         kMostInDouble;
}

std::string why_not_exact(const Product& product) {
  if (!is_floating(product.dtype)) return "";  // kLongestWholeSum
  double limit = product.dtype == Dtype::f64 ? 0x1p53 : 0x1p24;
  double most = largest_sum(product);
  if (most <= limit) return "";
  return fmt::format("sums of its products may be as large as {:g}", most);
}

void check_sums(const SumRound& round, OutputFigures& output) {
  hold_to_bound(round, output);
  measure_baseline(*round.sampled, output);
}

void check_product(const ProductRound& round, OutputFigures& output) {
  const Product& product = round.product;
  const SampledSums& sampled = *round.sampled;
  const SumRound as_sums{product.k, round.sampled, round.family};
  ProductFigures& found = output.product.emplace();
  if (!round.probed) {
    output.mixed = take_out_exchanged(output.figures);
    return check_sums(as_sums, output);
  }
  hold_to_bound(as_sums, output);
  const bool in_samples = product.dtype == Dtype::f64;
  found.probed = true;
  Probes probes(product, round.stream.named("probes"), round.threads);
  output.figures = probes.check(output.values.candidate, output.values.baseline);
  if (is_floating(product.dtype)) take_from_baseline(product, output);
  if (in_samples) {
    found.exact = compare_at(output, sampled.places, sampled.exact);
  } else {
    ExactRows rows =
        exact_rows(product, round.stream.named("exact rows"), kExactRows, round.threads);
    found.rows = rows.rows.size();
    found.exact = compare_at(output, places_of(rows, product.n), rows.exact);
  }
  output.mixed = std::max(output.mixed, take_out_exchanged(*found.exact));
  output.figures.unequal += found.exact->unequal > 0 && is_floating(product.dtype);
  if (round.integers_proven && (product.result == Dtype::f32 || in_samples))
    take_whole(round, output);
  bool is_worked_out = output.figures.worst.candidate != output.figures.worst.exact;
  if (!is_worked_out) output.figures.worst = found.exact->worst;
}

void find_product_sensitivity(const ProductRound& round, const Product& moved,
                              OutputFigures& output) {
  const Product& product = round.product;
  double rms = Probes(product, round.stream.named("probes"), round.threads).moved_by(moved);
  output.sensitivity = Sensitivity{.rms = rms, .max = rms};
  const SampledSums& now = *round.sampled;
  const SampledSums then = sample_sums(sums_of(moved), round.samples);
  SensitivitySums sums(product.result);
  sums.add(now.exact.data(), then.exact.data(), now.exact.size());
  output.product->sensitivity = sums.sensitivity();
}

}  // namespace assay
