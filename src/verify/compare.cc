#include "verify/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/compare_block.h"
#include "verify/number.h"

namespace assay {
namespace {

// Some roundings are no gross error, in types of few bits either.
double gross_part(Dtype dtype) { return std::max(1.0 / 32, 32 * unit_roundoff(dtype)); }
// Below this nothing is gross: whoever takes a subnormal number on the way for 0 loses results that
// are a few thousand times as large. f16 has none to spare.
double least_gross(Dtype dtype) {
  double smallest_normal = smallest_step(dtype) / (2 * unit_roundoff(dtype));
  return dtype == Dtype::f16 ? smallest_normal : 4096 * smallest_normal;
}

bool is_gross(Dtype dtype, double value, double exact) {
  double size = std::fabs(exact);
  return size >= least_gross(dtype) && std::fabs(value - exact) > gross_part(dtype) * size;
}

Tolerances others_tolerances(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return {1e-4, 1e-7, 1e-7};
    case Dtype::f16:
      return {1e-2, 1e-3, 1e-5};
    case Dtype::bf16:
      return {1e-2, 1.6e-2, 1e-5};
    case Dtype::f32:
      return {1e-4, 1.3e-6, 1e-5};
    default:
      return {};
  }
}

Tolerances tolerances(Dtype dtype) {
  Tolerances result = others_tolerances(dtype);
  if (!is_floating(dtype)) return result;
  result.gross = gross_part(dtype);
  result.gross_least = least_gross(dtype);
  return result;
}

// Whether a result that is too large for its type was taken as that: infinite, or near it.
bool overflowed(double value, double exact, double largest) {
  return std::signbit(value) == std::signbit(exact) && std::fabs(value) >= largest / 2;
}

}  // namespace

// A sum of squares as sum * 4^power: squares of doubles need not be doubles.
struct SumOfSquares {
  double sum = 0;
  int power = 0;

  void add(double more, int more_power) {
    if (more == 0) return;
    if (sum == 0) power = more_power;
    if (more_power > power) {
      sum = std::ldexp(sum, 2 * (power - more_power));
      power = more_power;
    }
    sum += std::ldexp(more, 2 * (more_power - power));
  }
  double root_mean(uint64_t count) const {
    return count == 0 ? 0 : std::ldexp(std::sqrt(sum / static_cast<double>(count)), power);
  }
};

// Indices of elements are those of the piece, until they are told.
class OutputComparison::Sums {
 public:
  explicit Sums(Dtype dtype, Dtype exact_dtype)
      : largest_(largest_finite(dtype)), tolerances_(tolerances(dtype)) {
    values_.dtype = dtype;
    values_.exact_dtype = exact_dtype;
    figures_.dtype = dtype;
  }

  void add(const Values& piece) {
    values_ = piece;
    worst_block_.reset();
    if (is_floating(piece.dtype))
      add_floating();
    else
      add_whole_numbers();
    bool any = is_floating(piece.dtype) ? figures_.compared > 0 : piece.elements > 0;
    if (any && !worst_is_known_ && !worst_block_) worst_block_ = 0;
    if (worst_block_) find_worst();
    figures_.elements += piece.elements;
  }

  Figures figures() const {
    Figures figures = figures_;
    if (!is_floating(figures.dtype)) figures.compared = figures.elements;
    figures.exact_rms = exact_.root_mean(figures.compared);
    figures.candidate_rms = candidate_.root_mean(figures.compared);
    figures.baseline_rms = baseline_.root_mean(figures.compared);
    if (figures.compared > 0)
      figures.candidate_mean = magnitudes_ / static_cast<double>(figures.compared);
    return figures;
  }

 private:
  void add_floating() {
    for (uint64_t first = 0; first < values_.elements; first += kBlockElements)
      add_block(first, std::min(kBlockElements, values_.elements - first));
  }

  void add_whole_numbers() {
    std::array<int64_t, kBlockElements> c, b, e;
    for (uint64_t first = 0; first < values_.elements; first += kBlockElements) {
      uint64_t count = std::min(kBlockElements, values_.elements - first);
      const uint64_t at = first * bytes_of(values_.dtype);
      load_integers(values_.dtype, values_.candidate + at, count, c.data());
      load_integers(values_.dtype, values_.baseline + at, count, b.data());
      load_whole_exact(first, count, e.data());
      for (uint64_t i = 0; i < count; ++i) add_whole(first + i, c[i], b[i], e[i]);
    }
  }

  void load(uint64_t first, uint64_t count) {
    uint64_t at = first * bytes_of(values_.dtype);
    load_block(values_.dtype, values_.candidate + at, count, block_.candidate);
    load_block(values_.dtype, values_.baseline + at, count, block_.baseline);
    load_block(values_.exact_dtype, values_.exact + first * bytes_of(values_.exact_dtype), count,
               block_.exact);
    round_block(values_.dtype, block_.exact, count, block_.rounded);
    uint64_t padded = (count + 7) / 8 * 8;
    for (double* array : {block_.candidate, block_.baseline, block_.exact, block_.rounded})
      std::fill(array + count, array + padded, 0.0);
  }

  void add_block(uint64_t first, uint64_t count) {
    load(first, count);
    int power = values_.dtype == Dtype::f64 ? scale_down(count) : 0;
    BlockSums sums = sum_up(block_, count, tolerances_);
    if (sums.odd || std::ldexp(sums.exact_max, power) > largest_) {
      load(first, count);
      take_out(first, count);
      power = values_.dtype == Dtype::f64 ? scale_down(count) : 0;
      sums = sum_up(block_, count, tolerances_);
    } else {
      figures_.compared += count;
    }
    add(sums, first, count, power);
  }

  // Brings the largest magnitude near 1 where squares would overflow or vanish. The block is then
  // times 2^-power; only then do the tolerances not hold, which is for what nobody tolerates.
  int scale_down(uint64_t count) {
    double most = 0;
    for (const double* array : {block_.candidate, block_.baseline, block_.exact})
      for (uint64_t i = 0; i < count; ++i)
        if (std::isfinite(array[i])) most = std::max(most, std::fabs(array[i]));
    if (most == 0 || (most > 1e-120 && most < 1e120)) return 0;
    int power = std::ilogb(most) + 2;
    for (double* array : {block_.candidate, block_.baseline, block_.exact, block_.rounded})
      for (uint64_t i = 0; i < count; ++i) array[i] = std::ldexp(array[i], -power);
    return power;
  }

  // Looks at each element of a block where something is not finite, and takes out what has no
  // error.
  void take_out(uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      double c = block_.candidate[i], b = block_.baseline[i], e = block_.exact[i];
      bool exact_finite = std::isfinite(e) && std::fabs(block_.rounded[i]) <= largest_;
      if (exact_finite && std::isfinite(b) && std::isfinite(c)) {
        ++figures_.compared;
        continue;
      }
      classify(first + i, c, b, e);
      // NaN is within no tolerance of NaN; but those who ask for tolerances draw none.
      bool same = c == b || (std::isnan(c) && std::isnan(b));
      if (!same)
        ++figures_.beyond_kernelbench, ++figures_.beyond_torch, ++figures_.beyond_not_finite;
      if (!same_rounded(c, block_.rounded[i])) note_unequal(first + i);
      if (!same_rounded(b, block_.rounded[i])) ++figures_.baseline_unequal;
      block_.candidate[i] = block_.baseline[i] = block_.exact[i] = block_.rounded[i] = 0;
    }
  }

  static bool same_rounded(double value, double rounded) {
    return value == rounded || (std::isnan(value) && std::isnan(rounded));
  }

  void classify(uint64_t index, double c, double b, double e) {
    bool good = true;
    bool exact_finite = std::isfinite(e);
    auto as_exact = [&](double value) { return std::isnan(e) ? std::isnan(value) : value == e; };
    if (!exact_finite) {
      good = as_exact(c);
      // In lower precision 1 / (x - y) need not divide by 0: nothing to hold the candidate to.
      if (!good && !as_exact(b)) {
        ++figures_.left_out;
        return;
      }
    } else if (!std::isfinite(round_to(values_.dtype, e))) {
      good = stands_for_too_large(c, e) || !stands_for_too_large(b, e);
      if (good) ++figures_.left_out;
    } else if (!std::isfinite(b) || overflows_by_rounding(c, e)) {
      ++figures_.left_out;
    } else {
      if (figures_.spread++ == 0) figures_.first_spread = told(index);
      if (std::isnan(c)) ++figures_.spread_nan;
      return;
    }
    if (good) return;
    if (figures_.dropped++ == 0) figures_.first_dropped = told(index);
    if (!std::isfinite(c) && !exact_finite && std::isnan(c) != std::isnan(e)) ++figures_.exchanged;
  }

  // What its type has no number for, whichever that is: infinity stands for it, the largest number,
  // and NaN, which is what infinities of both signs add up to.
  bool stands_for_too_large(double value, double exact) const {
    return std::isnan(value) || overflowed(value, exact, largest_);
  }

  // Where the exact result is so near the largest of its type that a few roundings go beyond.
  bool overflows_by_rounding(double c, double e) const {
    constexpr double kRoundings = 16;  // as many as an accepted result may be off by
    double reach = kRoundings * unit_roundoff(figures_.dtype) * largest_;
    // The largest number itself is no rounding's work: it is a limit that somebody asked for.
    return std::isinf(c) && overflowed(c, e, largest_) && std::fabs(e) >= largest_ - reach &&
           std::fabs(e) != largest_;
  }

  void note_unequal(uint64_t index) {
    if (figures_.unequal++ == 0) figures_.first_unequal = told(index);
  }

  void add(const BlockSums& sums, uint64_t first, uint64_t count, int power) {
    exact_.add(sums.exact, power);
    candidate_.add(sums.candidate, power);
    magnitudes_ += std::ldexp(sums.candidate_magnitudes, power);
    baseline_.add(sums.baseline, power);
    figures_.exact_max = std::max(figures_.exact_max, std::ldexp(sums.exact_max, power));
    figures_.baseline_max = std::max(figures_.baseline_max, std::ldexp(sums.baseline_max, power));
    double candidate_max = std::ldexp(sums.candidate_max, power);
    if (candidate_max > figures_.candidate_max) {
      figures_.candidate_max = candidate_max;
      worst_block_ = first;
    }
    if (sums.unequal > 0 && !figures_.first_unequal)
      for (uint64_t i = 0; i < count && !figures_.first_unequal; ++i)
        if (block_.candidate[i] != block_.rounded[i]) figures_.first_unequal = told(first + i);
    figures_.unequal += sums.unequal;
    figures_.candidate_sides.add(sums.candidate_sides);
    figures_.baseline_sides.add(sums.baseline_sides);
    figures_.gross += sums.gross;
    figures_.baseline_gross += sums.baseline_gross;
    figures_.baseline_unequal += sums.baseline_unequal;
    figures_.beyond_kernelbench += sums.beyond_kernelbench;
    figures_.beyond_torch += sums.beyond_torch;
  }

  // With its place among all elements.
  Sample told(uint64_t index) const {
    Sample told = sample(values_, index);
    told.index += figures_.elements;
    return told;
  }

  void find_worst() {
    worst_is_known_ = true;
    if (!is_floating(values_.dtype)) {
      figures_.worst = told(*worst_block_);
      return;
    }
    uint64_t end = std::min(*worst_block_ + kBlockElements, values_.elements);
    double most = -1;
    for (uint64_t i = *worst_block_; i < end; ++i) {
      Sample here = told(i);
      double error = std::fabs(here.candidate - here.exact);
      if (!std::isfinite(here.baseline) || !(error > most)) continue;
      most = error;
      figures_.worst = here;
    }
  }

  void load_whole_exact(uint64_t first, uint64_t count, int64_t* to) const {
    const std::byte* from = values_.exact + first * bytes_of(values_.exact_dtype);
    if (!is_floating(values_.exact_dtype))
      return load_integers(values_.exact_dtype, from, count, to);
    std::array<double, kBlockElements> numbers;
    load_block(values_.exact_dtype, from, count, numbers.data());
    for (uint64_t i = 0; i < count; ++i)
      to[i] = numbers[i] >= 0x1p63    ? INT64_MAX
              : numbers[i] >= -0x1p63 ? static_cast<int64_t>(numbers[i])
                                      : INT64_MIN;
  }

  void add_whole(uint64_t index, int64_t c, int64_t b, int64_t e) {
    auto exact = static_cast<double>(e);
    exact_.add(exact * exact, 0);
    figures_.exact_max = std::max(figures_.exact_max, std::fabs(exact));
    if (b != e) {
      double error = std::fabs(static_cast<double>(b) - exact);
      baseline_.add(error * error, 0);
      figures_.baseline_max = std::max(figures_.baseline_max, error);
      ++figures_.baseline_unequal;
    }
    if (c != b) ++figures_.beyond_kernelbench, ++figures_.beyond_torch;
    if (c == e) return;
    double error = std::fabs(static_cast<double>(c) - exact);
    candidate_.add(error * error, 0);
    magnitudes_ += error;
    if (error > figures_.candidate_max) {
      figures_.candidate_max = error;
      worst_block_ = index;
    }
    note_unequal(index);
  }

  Values values_;  // the piece
  const double largest_;
  const Tolerances tolerances_;
  Figures figures_;  // of the pieces before, and of this one as far as it is looked at
  SumOfSquares exact_, candidate_, baseline_;
  double magnitudes_ = 0;  // of the candidate's errors, summed
  // Where in this piece an error is larger than all before: a block's first element; of whole
  // numbers the element.
  std::optional<uint64_t> worst_block_;
  bool worst_is_known_ = false;
  Block block_;
};

OutputComparison::OutputComparison(Dtype dtype, Dtype exact_dtype)
    : sums_(std::make_unique<Sums>(dtype, exact_dtype)) {}
OutputComparison::OutputComparison(OutputComparison&&) noexcept = default;
OutputComparison::~OutputComparison() = default;
void OutputComparison::add(const Values& piece) { sums_->add(piece); }
Figures OutputComparison::figures() const { return sums_->figures(); }

Figures compare(const Values& values) {
  OutputComparison comparison(values.dtype, values.exact_dtype);
  comparison.add(values);
  return comparison.figures();
}

std::optional<Sample> first_beyond(const Values& values, double limit) {
  std::array<double, kBlockElements> c, e;
  const uint64_t size = bytes_of(values.dtype), exact_size = bytes_of(values.exact_dtype);
  for (uint64_t first = 0; first < values.elements; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, values.elements - first);
    load_block(values.dtype, values.candidate + first * size, count, c.data());
    load_block(values.exact_dtype, values.exact + first * exact_size, count, e.data());
    for (uint64_t i = 0; i < count; ++i) {
      if (std::fabs(c[i] - e[i]) <= limit || c[i] == e[i]) continue;
      if (std::isnan(c[i]) && std::isnan(e[i])) continue;
      Sample found = sample(values, first + i);
      // What was left out of the comparison decides nothing.
      if (std::isfinite(found.exact) && !std::isfinite(found.baseline)) continue;
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Sample> first_gross(const Values& values) {
  for (uint64_t i = 0; i < values.elements; ++i) {
    Sample here = sample(values, i);
    if (is_gross(values.dtype, here.candidate, here.exact) &&
        !is_gross(values.dtype, here.baseline, here.exact))
      return here;
  }
  return std::nullopt;
}

void SensitivitySums::add(const double* exact, const double* of_perturbed, uint64_t elements) {
  SumOfSquares squares{squares_, power_};
  for (uint64_t i = 0; i < elements; ++i) {
    double apart = std::fabs(of_perturbed[i] - exact[i]);
    if (!std::isfinite(apart)) continue;
    ++compared_;
    max_ = std::max(max_, apart);
    if (apart == 0) continue;
    if (is_gross(dtype_, of_perturbed[i], exact[i])) ++gross_;
    int power = apart > 1e-120 && apart < 1e120 ? 0 : std::ilogb(apart);
    double scaled = std::ldexp(apart, -power);
    squares.add(scaled * scaled, power);
  }
  squares_ = squares.sum;
  power_ = squares.power;
}

Sensitivity SensitivitySums::sensitivity() const {
  Sensitivity found;
  found.rms = SumOfSquares{squares_, power_}.root_mean(compared_);
  found.max = max_;
  found.gross = gross_;
  return found;
}

Sample sample(const Values& values, uint64_t index) {
  Sample result;
  result.index = index;
  const uint64_t at = index * bytes_of(values.dtype);
  load_block(values.dtype, values.candidate + at, 1, &result.candidate);
  load_block(values.dtype, values.baseline + at, 1, &result.baseline);
  load_block(values.exact_dtype, values.exact + index * bytes_of(values.exact_dtype), 1,
             &result.exact);
  return result;
}

}  // namespace assay
