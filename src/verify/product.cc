#include "verify/product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "verify/distributions.h"
#include "verify/number.h"
#include "verify/panel.h"

namespace assay {
namespace {

StoredMatrix a_of(const Product& product) {
  bool t = is_a_transposed(product.layout);
  return {product.a, product.dtype, t ? product.k : product.m, t ? product.m : product.k};
}

StoredMatrix b_of(const Product& product) {
  bool t = is_b_transposed(product.layout);
  return {product.b, product.dtype, t ? product.n : product.k, t ? product.k : product.n};
}

StoredMatrix c_of(const Product& product, const std::byte* c) {
  return {c, product.result, product.m, product.n};
}

double element(const StoredMatrix& matrix, int64_t row, int64_t column) {
  double value = 0;
  auto at = static_cast<uint64_t>(row * matrix.columns + column);
  load_block(matrix.dtype, matrix.data + at * bytes_of(matrix.dtype), 1, &value);
  return value;
}

// Rows of a matrix, or columns of one that lies transposed, as vectors of doubles.
std::vector<std::vector<double>> vectors(const StoredMatrix& matrix, bool columns,
                                         const std::vector<int64_t>& which) {
  int64_t length = columns ? matrix.rows : matrix.columns;
  std::vector<std::vector<double>> found(which.size(),
                                         std::vector<double>(static_cast<size_t>(length)));
  if (columns) {  // all of them on one way through memory
    for (int64_t i = 0; i < length; ++i)
      for (size_t v = 0; v < which.size(); ++v)
        found[v][static_cast<size_t>(i)] = element(matrix, i, which[v]);
    return found;
  }
  for (size_t v = 0; v < which.size(); ++v) {
    auto at = static_cast<uint64_t>(which[v] * matrix.columns);
    load_block(matrix.dtype, matrix.data + at * bytes_of(matrix.dtype),
               static_cast<uint64_t>(length), found[v].data());
  }
  return found;
}

struct Dot {
  double exact = 0, magnitude = 0;
};

// Products of all types but f64 are exact in double.
template <class Sum>
Dot dot(const std::vector<double>& a, const std::vector<double>& b) {
  Sum sum = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    Sum term = static_cast<Sum>(a[i]) * static_cast<Sum>(b[i]);
    sum += term;
    size += term < 0 ? -term : term;
  }
  return {static_cast<double>(sum), static_cast<double>(size)};
}

Dot dot(Dtype dtype, const std::vector<double>& a, const std::vector<double>& b) {
  return dtype == Dtype::f64 ? dot<long double>(a, b) : dot<double>(a, b);
}

// So many of [0, count), ascending, the first and the last among them.
std::vector<int64_t> some_of(int64_t count, int64_t wanted, const RandomStream& stream) {
  std::set<int64_t> chosen{0, count - 1};
  for (uint64_t draw = 0; static_cast<int64_t>(chosen.size()) < std::min(wanted, count); ++draw)
    chosen.insert(static_cast<int64_t>(stream.below(draw, static_cast<uint64_t>(count))));
  return {chosen.begin(), chosen.end()};
}

// What is left of C x when A (B x) is taken away, as root mean square of the errors of elements.
struct Residual {
  double rms = 0, worst = 0;
  int64_t worst_row = 0;
  uint64_t bad_rows = 0;  // not finite; of whole numbers: not 0
  int64_t first_bad = 0;
};

Residual residual(const Product& product, const Panel<double>& cx, const Panel<double>& abx) {
  Residual result;
  const auto per_row = static_cast<double>(product.n) * kNormalProbes;
  double total = 0;
  uint64_t rows = 0;
  for (int64_t i = 0; i < product.m; ++i) {
    double squares = 0;
    for (int64_t p = 0; p < kNormalProbes; ++p) {
      auto at = static_cast<size_t>(p * product.m + i);
      // In units that keep squares of large doubles finite.
      double apart = (cx.values[at] - abx.values[at]) * 0x1p-200;
      squares += apart * apart;
    }
    if (!std::isfinite(squares)) {
      if (result.bad_rows++ == 0) result.first_bad = i;
      continue;
    }
    total += squares;
    ++rows;
    double row = std::sqrt(squares / per_row) * 0x1p200;
    if (row > result.worst) result.worst = row, result.worst_row = i;
  }
  if (rows > 0) result.rms = std::sqrt(total / (per_row * static_cast<double>(rows))) * 0x1p200;
  return result;
}

Residual residual(const Product& product, const Panel<uint64_t>& cx, const Panel<uint64_t>& abx) {
  Residual result;
  for (int64_t i = 0; i < product.m; ++i) {
    bool bad = false;
    for (int64_t p = 0; p < kWholeProbes; ++p) {
      auto at = static_cast<size_t>(p * product.m + i);
      bad |= cx.values[at] != abx.values[at];
    }
    if (bad && result.bad_rows++ == 0) result.first_bad = i;
  }
  result.worst_row = result.first_bad;
  return result;
}

}  // namespace

struct Probes::State {
  Product product;
  int threads = 1;
  bool whole = false;
  Panel<double> x, abx;
  Panel<uint64_t> whole_x, whole_abx;
  double exact_rms = 0;

  Residual residual_of(const std::byte* c) const {
    StoredMatrix matrix = c_of(product, c);
    if (whole) return residual(product, times(matrix, false, whole_x, threads), whole_abx);
    return residual(product, times(matrix, false, x, threads), abx);
  }

  // The element of a row where the candidate is furthest from the exact result.
  Sample worst_of_row(int64_t row, const std::byte* candidate, const std::byte* baseline) const {
    auto a = vectors(a_of(product), is_a_transposed(product.layout), {row})[0];
    StoredMatrix mine = c_of(product, candidate), theirs = c_of(product, baseline);
    Sample worst;
    double most = -1;
    constexpr int64_t kColumns = 64;
    for (int64_t first = 0; first < product.n; first += kColumns) {
      std::vector<int64_t> some;
      for (int64_t j = first; j < std::min(first + kColumns, product.n); ++j) some.push_back(j);
      auto columns = vectors(b_of(product), !is_b_transposed(product.layout), some);
      for (size_t v = 0; v < some.size(); ++v) {
        double exact = dot(product.dtype, a, columns[v]).exact;
        double value = element(mine, row, some[v]);
        double error = std::fabs(value - exact);
        if (!std::isfinite(value)) error = std::numeric_limits<double>::infinity();
        if (!(error > most)) continue;
        most = error;
        worst = {static_cast<uint64_t>(row * product.n + some[v]), value,
                 element(theirs, row, some[v]), exact};
      }
    }
    return worst;
  }
};

Probes::Probes(const Product& product, const RandomStream& stream, int threads)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.product = product;
  state.threads = threads;
  state.whole = !is_floating(product.dtype);
  StoredMatrix a = a_of(product), b = b_of(product);
  bool ta = is_a_transposed(product.layout), tb = is_b_transposed(product.layout);
  const auto n = static_cast<size_t>(product.n);
  if (state.whole) {
    std::vector<uint32_t> words(2 * n * kWholeProbes);
    stream.words(0, words);
    state.whole_x = {product.n, std::vector<uint64_t>(n * kWholeProbes)};
    std::memcpy(state.whole_x.values.data(), words.data(), words.size() * sizeof(uint32_t));
    state.whole_abx = times(a, ta, times(b, tb, state.whole_x, threads), threads);
    return;
  }
  state.x = {product.n, std::vector<double>(n * kNormalProbes)};
  normal(stream, 0, state.x.values);
  state.abx = times(a, ta, times(b, tb, state.x, threads), threads);
  Panel<double> nothing{product.m, std::vector<double>(state.abx.values.size())};
  state.exact_rms = residual(product, nothing, state.abx).rms;
}

Probes::~Probes() = default;

Figures Probes::check(const std::byte* candidate, const std::byte* baseline) const {
  const Product& product = state_->product;
  Residual mine = state_->residual_of(candidate), theirs = state_->residual_of(baseline);
  Figures figures;
  figures.dtype = product.result;
  figures.elements = static_cast<uint64_t>(product.m) * static_cast<uint64_t>(product.n);
  figures.compared = figures.elements;
  if (state_->whole) {
    figures.unequal = mine.bad_rows;
    figures.baseline_unequal = theirs.bad_rows;
    if (mine.bad_rows > 0) {
      figures.first_unequal = state_->worst_of_row(mine.first_bad, candidate, baseline);
      figures.worst = *figures.first_unequal;
    }
    return figures;
  }
  figures.exact_rms = figures.exact_max = state_->exact_rms;
  figures.candidate_rms = mine.rms;
  figures.candidate_max = mine.worst;
  figures.baseline_rms = theirs.rms;
  figures.baseline_max = theirs.worst;
  if (mine.bad_rows > theirs.bad_rows) {
    figures.spread = (mine.bad_rows - theirs.bad_rows) * static_cast<uint64_t>(product.n);
    figures.first_spread = state_->worst_of_row(mine.first_bad, candidate, baseline);
  }
  Ratios ratio = ratios(figures);
  // Only what may be complained about is worth a row's product.
  if (ratio.rms > 4 || ratio.max > 4)
    figures.worst = state_->worst_of_row(mine.worst_row, candidate, baseline);
  return figures;
}

SampledProduct sample_product(const Product& product, const RandomStream& stream, int64_t rows,
                              int64_t columns) {
  auto some_rows = some_of(product.m, rows, stream.named("rows"));
  auto some_columns = some_of(product.n, columns, stream.named("columns"));
  auto a = vectors(a_of(product), is_a_transposed(product.layout), some_rows);
  auto b = vectors(b_of(product), !is_b_transposed(product.layout), some_columns);
  SampledProduct sampled;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) {
      Dot found = dot(product.dtype, a[i], b[j]);
      sampled.places.push_back(static_cast<uint64_t>(some_rows[i] * product.n + some_columns[j]));
      sampled.exact.push_back(found.exact);
      sampled.magnitude.push_back(found.magnitude);
    }
  return sampled;
}

std::vector<std::byte> pick(Dtype result, const std::byte* c, const std::vector<uint64_t>& places) {
  const uint64_t size = bytes_of(result);
  std::vector<std::byte> packed(places.size() * size);
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(packed.data() + i * size, c + places[i] * size, size);
  return packed;
}

BeyondBound beyond_bound(const SampledProduct& sampled, Dtype result, int64_t k,
                         const std::byte* packed) {
  std::vector<double> values(sampled.places.size());
  load_block(result, packed, values.size(), values.data());
  double factor = 4 * std::sqrt(static_cast<double>(k)) * unit_roundoff(result);
  BeyondBound beyond;
  for (size_t i = 0; i < values.size(); ++i) {
    // One rounding of what is below the smallest normal number costs half a step.
    double bound = factor * sampled.magnitude[i] + smallest_step(result) / 2;
    if (std::fabs(values[i] - sampled.exact[i]) <= bound) continue;
    // Neither what overflows, nor what is not finite, has an error.
    if (std::fabs(sampled.exact[i]) + bound > largest_finite(result) ||
        !std::isfinite(sampled.exact[i]))
      continue;
    if (beyond.count++ == 0) beyond.first = i;
  }
  return beyond;
}

}  // namespace assay
