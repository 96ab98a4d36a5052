#include "verify/product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "verify/distributions.h"
#include "verify/number.h"
#include "verify/panel.h"

namespace assay {
namespace {

StoredMatrix a_of(const Product& product) {
  bool t = is_a_transposed(product.layout);
  return {product.a, product.dtype, t ? product.k : product.m, t ? product.m : product.k, {}, {}};
}

StoredMatrix b_of(const Product& product) {
  bool t = is_b_transposed(product.layout);
  return {product.b, product.dtype, t ? product.n : product.k, t ? product.k : product.n, {}, {}};
}

StoredMatrix c_of(const Product& product, const std::byte* c) {
  return {c, product.result, product.m, product.n, {}, {}};
}

// Which rows of a matrix, or columns of one that lies transposed, have NaN or infinity.
std::vector<uint8_t> not_finite(const StoredMatrix& matrix, bool columns) {
  std::vector<uint8_t> bad(static_cast<size_t>(columns ? matrix.columns : matrix.rows));
  std::vector<double> row(static_cast<size_t>(matrix.columns));
  for (int64_t i = 0; i < matrix.rows; ++i) {
    auto at = static_cast<uint64_t>(i * matrix.columns);
    load_block(matrix.dtype, matrix.data + at * bytes_of(matrix.dtype), row.size(), row.data());
    for (size_t j = 0; j < row.size(); ++j)
      if (!std::isfinite(row[j])) bad[columns ? j : static_cast<size_t>(i)] = 1;
  }
  return bad;
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

// What is left of C x when A (B x) is taken away, as root mean square of the errors of elements.
struct Residual {
  double rms = 0, worst = 0;
  int64_t worst_row = 0;
  uint64_t rows = 0;      // that it is of
  uint64_t bad_rows = 0;  // not finite; of whole numbers: not 0
  int64_t first_bad = 0;
};

// `left_out`: rows that are not looked at; empty: none. `columns` of C: those that are.
Residual residual(const Product& product, const Panel<double>& cx, const Panel<double>& abx,
                  const std::vector<uint8_t>& left_out, uint64_t columns) {
  Residual result;
  if (columns == 0) return result;
  const auto per_row = static_cast<double>(columns) * kNormalProbes;
  double total = 0;
  for (int64_t i = 0; i < product.m; ++i) {
    if (!left_out.empty() && left_out[static_cast<size_t>(i)] != 0) continue;
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
    ++result.rows;
    double row = std::sqrt(squares / per_row) * 0x1p200;
    if (row > result.worst) result.worst = row, result.worst_row = i;
  }
  if (result.rows > 0)
    result.rms = std::sqrt(total / (per_row * static_cast<double>(result.rows))) * 0x1p200;
  return result;
}

Residual residual(const Product& product, const Panel<uint64_t>& cx, const Panel<uint64_t>& abx) {
  Residual result;
  result.rows = static_cast<uint64_t>(product.m);
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
  double exact_rms = 0, exact_max = 0;
  std::vector<uint8_t> no_row, no_column;  // of C, where not 0; empty: all are looked at

  uint64_t columns() const {
    return static_cast<uint64_t>(product.n - std::ranges::count(no_column, 1));
  }

  // A (B x), without what is left out.
  Panel<double> both_times_x(const Product& of) const {
    StoredMatrix a = a_of(of), b = b_of(of);
    bool ta = is_a_transposed(of.layout), tb = is_b_transposed(of.layout);
    if (!no_column.empty()) (tb ? b.no_row : b.no_column) = &no_column;
    return times(a, ta, times(b, tb, x, threads), threads);
  }

  // Drops from the vectors what would spread from B's columns into every row.
  void leave_out_not_finite() {
    no_row = not_finite(a_of(product), is_a_transposed(product.layout));
    no_column = not_finite(b_of(product), !is_b_transposed(product.layout));
    const auto n = static_cast<size_t>(product.n);
    for (size_t i = 0; i < x.values.size(); ++i)
      if (no_column[i % n] != 0) x.values[i] = 0;
  }

  Residual residual_of(const std::byte* c) const {
    StoredMatrix matrix = c_of(product, c);
    if (whole) return residual(product, times(matrix, false, whole_x, threads), whole_abx);
    if (!no_column.empty()) matrix.no_column = &no_column;
    return residual(product, times(matrix, false, x, threads), abx, no_row, columns());
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

Probes::Probes(const Product& product, const RandomStream& stream, int threads, bool whole)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.product = product;
  state.threads = threads;
  state.whole = whole || !is_floating(product.dtype);
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
  state.abx = state.both_times_x(product);
  if (!std::ranges::all_of(state.abx.values, [](double value) { return std::isfinite(value); })) {
    state.leave_out_not_finite();
    state.abx = state.both_times_x(product);
  }
  Panel<double> nothing{product.m, std::vector<double>(state.abx.values.size())};
  Residual exact = residual(product, nothing, state.abx, state.no_row, state.columns());
  state.exact_rms = exact.rms;
  state.exact_max = exact.worst;
}

Probes::~Probes() = default;

Figures Probes::check(const std::byte* candidate, const std::byte* baseline) const {
  const Product& product = state_->product;
  Residual mine = state_->residual_of(candidate), theirs = state_->residual_of(baseline);
  Figures figures;
  figures.dtype = product.result;
  figures.elements = static_cast<uint64_t>(product.m) * static_cast<uint64_t>(product.n);
  figures.compared = mine.rows * state_->columns();
  if (state_->whole) {
    figures.unequal = mine.bad_rows;
    figures.baseline_unequal = theirs.bad_rows;
    if (mine.bad_rows > 0) {
      figures.first_unequal = state_->worst_of_row(mine.first_bad, candidate, baseline);
      figures.worst = *figures.first_unequal;
    }
    return figures;
  }
  figures.exact_rms = state_->exact_rms;
  figures.exact_max = state_->exact_max;
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

double Probes::moved_by(const Product& moved) const {
  return residual(state_->product, state_->both_times_x(moved), state_->abx, state_->no_row,
                  state_->columns())
      .rms;
}

ExactRows exact_rows(const Product& product, const RandomStream& stream, int64_t rows,
                     int threads) {
  ExactRows found;
  found.rows = some_of(product.m, rows, stream);
  const auto k = static_cast<size_t>(product.k), n = static_cast<size_t>(product.n);
  auto a = vectors(a_of(product), is_a_transposed(product.layout), found.rows);
  for (size_t first = 0; first < a.size(); first += kNormalProbes) {
    size_t some = std::min<size_t>(kNormalProbes, a.size() - first);
    Panel<double> x{product.k, std::vector<double>(k * kNormalProbes)};
    for (size_t p = 0; p < some; ++p)
      std::ranges::copy(a[first + p], x.values.begin() + static_cast<long>(p * k));
    Panel<double> y = times(b_of(product), !is_b_transposed(product.layout), x, threads);
    found.exact.insert(found.exact.end(), y.values.begin(),
                       y.values.begin() + static_cast<long>(some * n));
  }
  return found;
}

double exact_element(const Product& product, uint64_t place) {
  auto row = static_cast<int64_t>(place) / product.n;
  auto column = static_cast<int64_t>(place) % product.n;
  auto a = vectors(a_of(product), is_a_transposed(product.layout), {row})[0];
  auto b = vectors(b_of(product), !is_b_transposed(product.layout), {column})[0];
  return dot(product.dtype, a, b).exact;
}

double largest_sum(const Product& product) {
  auto magnitudes = [](const StoredMatrix& matrix, auto&& see) {
    std::vector<double> row(static_cast<size_t>(matrix.columns));
    for (int64_t i = 0; i < matrix.rows; ++i) {
      auto at = static_cast<uint64_t>(i * matrix.columns);
      load_block(matrix.dtype, matrix.data + at * bytes_of(matrix.dtype), row.size(), row.data());
      for (size_t j = 0; j < row.size(); ++j) see(static_cast<size_t>(i), j, std::fabs(row[j]));
    }
  };
  double most = 0;
  magnitudes(b_of(product), [&](size_t, size_t, double value) { most = std::max(most, value); });
  bool columns = is_a_transposed(product.layout);
  std::vector<double> sums(static_cast<size_t>(product.m));
  magnitudes(a_of(product),
             [&](size_t i, size_t j, double value) { sums[columns ? j : i] += value; });
  return most * *std::ranges::max_element(sums);
}

Sums sums_of(const Product& product) { return {sum_of(product), product.a, product.b}; }

}  // namespace assay
