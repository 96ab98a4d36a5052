#include "verify/sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "verify/number.h"

namespace assay {
namespace {

// Numbers that are looked at for a sample: some hundredths of a second.
constexpr int64_t kMostTerms = int64_t{1} << 24;
// That are kept of an input because the next element is a sum of the same.
constexpr size_t kMostKept = size_t{1} << 22;

// One of the two inputs.
struct Operand {
  static constexpr int64_t kPiece = 1024;

  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  int64_t SumLoop::* step = nullptr;
  const std::vector<SumLoop>* summed = nullptr;
  std::unordered_map<int64_t, std::vector<double>> kept{};
  size_t numbers_kept = 0;

  // What the sum of an element is of, in the order of its loops, from this place of the input on.
  const std::vector<double>& terms(int64_t from, size_t count) {
    if (const auto known = kept.find(from); known != kept.end()) return known->second;
    if (numbers_kept + count > kMostKept) {
      kept.clear();
      numbers_kept = 0;
    }
    numbers_kept += count;
    std::vector<double>& all = kept[from];
    all.reserve(count);
    visit(from, [&](std::span<const double> values) {
      all.insert(all.end(), values.begin(), values.end());
    });
    return all;
  }

  // The same, piece by piece.
  template <class See>
  void visit(int64_t from, const See& see) const {
    std::array<double, kPiece> piece;
    size_t filled = 0;
    visit_loop(from, 0, piece, filled, see);
    if (filled > 0) see(std::span(piece).first(filled));
  }

  template <class See>
  void visit_loop(int64_t from, size_t loop, std::array<double, kPiece>& piece, size_t& filled,
                  const See& see) const {
    const auto put = [&](int64_t place, int64_t count) {
      if (filled + static_cast<size_t>(count) > piece.size()) {
        see(std::span(piece).first(filled));
        filled = 0;
      }
      load_block(dtype, data + static_cast<uint64_t>(place) * bytes_of(dtype),
                 static_cast<uint64_t>(count), piece.data() + filled);
      filled += static_cast<size_t>(count);
    };
    if (loop == summed->size()) return put(from, 1);
    const SumLoop& each = (*summed)[loop];
    if (each.*step != 1 || loop + 1 < summed->size()) {
      for (int64_t i = 0; i < each.size; ++i)
        visit_loop(from + i * (each.*step), loop + 1, piece, filled, see);
      return;
    }
    for (int64_t i = 0; i < each.size; i += kPiece) put(from + i, std::min(kPiece, each.size - i));
  }
};

template <class Sum>
Dot dot_in(const std::vector<double>& a, const std::vector<double>& b) {
  Sum sum = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    Sum term = static_cast<Sum>(a[i]) * static_cast<Sum>(b[i]);
    sum += term;
    size += term < 0 ? -term : term;
  }
  return {static_cast<double>(sum), static_cast<double>(size)};
}

// Of elements of one input: none of them comes twice.
template <class Sum>
Dot sum_in(const Operand& a, int64_t from) {
  Sum sum = 0, size = 0;
  a.visit(from, [&](std::span<const double> values) {
    for (const double value : values) {
      sum += static_cast<Sum>(value);
      size += static_cast<Sum>(std::fabs(value));
    }
  });
  return {static_cast<double>(sum), static_cast<double>(size)};
}

// Of each dimension, how many places: together about as many as are wanted, of each as many as of
// the others where it has them.
std::vector<int64_t> counts_of(const std::vector<SumLoop>& over, int64_t wanted) {
  std::vector<size_t> order(over.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return over[i].size; });
  std::vector<int64_t> counts(over.size());
  auto left = static_cast<double>(wanted);
  for (size_t i = 0; i < order.size(); ++i) {
    const double share = std::pow(left, 1 / static_cast<double>(order.size() - i));
    int64_t& count = counts[order[i]];
    count = std::clamp(static_cast<int64_t>(share + 1e-9), int64_t{1}, over[order[i]].size);
    left = std::max(left / static_cast<double>(count), 1.0);
  }
  return counts;
}

}  // namespace

std::vector<int64_t> some_of(int64_t count, int64_t wanted, const RandomStream& stream) {
  std::set<int64_t> chosen{0, count - 1};
  for (uint64_t draw = 0; static_cast<int64_t>(chosen.size()) < std::min(wanted, count); ++draw)
    chosen.insert(static_cast<int64_t>(stream.below(draw, static_cast<uint64_t>(count))));
  return {chosen.begin(), chosen.end()};
}

Dot dot(Dtype dtype, const std::vector<double>& a, const std::vector<double>& b) {
  return dtype == Dtype::f64 ? dot_in<long double>(a, b) : dot_in<double>(a, b);
}

SampledSums sample_sums(const Sums& sums, const RandomStream& stream, int64_t wanted) {
  const int64_t terms = terms_of(sums);
  const auto counts = counts_of(sums.over, std::clamp(kMostTerms / terms, int64_t{1}, wanted));
  std::vector<std::vector<int64_t>> chosen;
  for (size_t i = 0; i < counts.size(); ++i)
    chosen.push_back(
        some_of(sums.over[i].size, counts[i], stream.named("dimension " + std::to_string(i))));
  Operand a{sums.dtype, sums.a_data, &SumLoop::in_a, &sums.summed};
  Operand b{sums.dtype, sums.b_data, &SumLoop::in_b, &sums.summed};
  const auto count = static_cast<size_t>(terms);
  SampledSums sampled;
  std::vector<size_t> at(counts.size());
  while (true) {
    int64_t place = 0, in_a = 0, in_b = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      const SumLoop& loop = sums.over[i];
      const int64_t index = chosen[i][at[i]];
      place = place * loop.size + index;
      in_a += index * loop.in_a;
      in_b += index * loop.in_b;
    }
    Dot found;
    if (sums.b_data != nullptr)
      found = dot(sums.dtype, a.terms(in_a, count), b.terms(in_b, count));
    else
      found = sums.dtype == Dtype::f64 ? sum_in<long double>(a, in_a) : sum_in<double>(a, in_a);
    const double part = sums.is_mean ? static_cast<double>(terms) : 1;
    sampled.places.push_back(static_cast<uint64_t>(place));
    sampled.exact.push_back(found.exact / part);
    sampled.magnitude.push_back(found.magnitude / part);
    // The next crossing: the last dimension first.
    size_t turned = at.size();
    while (turned > 0 && ++at[turned - 1] == chosen[turned - 1].size()) at[--turned] = 0;
    if (turned == 0) return sampled;
  }
}

std::vector<std::byte> pick(Dtype result, const std::byte* from,
                            const std::vector<uint64_t>& places) {
  const uint64_t size = bytes_of(result);
  std::vector<std::byte> packed(places.size() * size);
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(packed.data() + i * size, from + places[i] * size, size);
  return packed;
}

double roundings_of(int64_t k, Family family) {
  const auto terms = static_cast<double>(k);
  const double differing = 4 * std::sqrt(terms);
  return values_repeat(family) || is_ill_conditioned(family) ? std::max(terms, differing)
                                                             : differing;
}

BeyondBound beyond_bound(const SampledSums& sampled, Dtype result, int64_t k, Family family,
                         const std::byte* packed) {
  std::vector<double> values(sampled.places.size());
  load_block(result, packed, values.size(), values.data());
  double factor = roundings_of(k, family) * unit_roundoff(result);
  // Below the smallest normal number each product and each sum may cost half a step.
  double least = smallest_step(result) / 2 * (is_floating(result) ? static_cast<double>(k) : 1);
  BeyondBound beyond;
  for (size_t i = 0; i < values.size(); ++i) {
    double bound = factor * sampled.magnitude[i] + least;
    if (!std::isfinite(values[i]) || !std::isfinite(sampled.exact[i]) ||
        std::fabs(sampled.exact[i]) + bound > largest_finite(result))
      continue;
    ++beyond.held;
    double error = std::fabs(values[i] - sampled.exact[i]);
    beyond.most = std::max(beyond.most, error / bound);
    if (error <= bound) continue;
    beyond.error = std::max(beyond.error, error);
    if (beyond.count++ > 0) continue;
    beyond.first = i;
    beyond.bound = bound;
  }
  return beyond;
}

}  // namespace assay
