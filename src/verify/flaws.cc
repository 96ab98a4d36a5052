#include "verify/flaws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/elements.h"
#include "verify/number.h"

namespace assay {
namespace {

// Below so many roundings values count as one value.
constexpr double kRoundings = 16;
// An error so large beside the result itself leaves no digit of it.
constexpr double kAllIsError = 0.25;
// Of what others call equal to what they expect; the first is the stricter.
constexpr double kTolerances[] = {1e-4, 1e-2};

double smallest_normal(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 0x1p-1022;
    case Dtype::f32:
    case Dtype::bf16:
      return 0x1p-126;
    case Dtype::f16:
      return 0x1p-14;
    default:
      return 0.5;  // of whole numbers only 0 is below
  }
}

// Visits `elements` of two arrays, a block at a time, until `look` has seen enough.
template <class Look>
void in_blocks(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b,
               const Look& look) {
  std::array<double, kBlockElements> one, other;
  for (uint64_t first = 0; first < elements; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, elements - first);
    load_block(dtype, a + first * bytes_of(dtype), count, one.data());
    load_block(dtype, b + first * bytes_of(dtype), count, other.data());
    for (uint64_t i = 0; i < count; ++i)
      if (!look(one[i], other[i])) return;
  }
}

}  // namespace

ResultValues::ResultValues(const TensorSpec& spec, double unit)
    : spec_(spec), unit_(is_floating(spec.dtype) ? unit : 0), elements_(spec.elements()) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  least_ = kInfinity, largest_ = -kInfinity;
  for (double tolerance : kTolerances) allcloses_.push_back({tolerance, -kInfinity, kInfinity});
  for (int64_t size : spec.shape) slices_equal_.push_back(size > 1);
}

void ResultValues::add(const std::byte* values, const double* exact) {
  std::array<double, kBlockElements> block;
  const uint64_t bytes = bytes_of(spec_.dtype);
  for (uint64_t first = 0; first < elements_; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, elements_ - first);
    load_block(spec_.dtype, values + first * bytes, count, block.data());
    if (draws_ == 0 && first == 0) pivot_ = std::isfinite(block[0]) ? block[0] : 0;
    add_block(first, count, block.data(), exact != nullptr ? exact + first : nullptr);
  }
  if (exact != nullptr) has_exact_ = true;
  look_at_slices(values);
  if (draws_++ == 0) first_.assign(values, values + elements_ * bytes);
}

void ResultValues::add_block(uint64_t first, uint64_t count, const double* values,
                             const double* exact) {
  std::array<double, kBlockElements> before;
  const double normal = smallest_normal(spec_.dtype);
  if (draws_ > 0)
    load_block(spec_.dtype, first_.data() + first * bytes_of(spec_.dtype), count, before.data());
  for (uint64_t i = 0; i < count; ++i) {
    double value = values[i];
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? nan_ : infinite_);
      // What is infinite always is the same; what once was not has moved.
      if (draws_ > 0 && std::isfinite(before[i])) moved_most_ = largest_finite(Dtype::f64);
      continue;
    }
    double size = std::abs(value);
    if (value == 0) ++zeros_;
    if (size < normal) ++tiny_;
    least_ = std::min(least_, value), largest_ = std::max(largest_, value);
    sum_ += value - pivot_, squares_ += (value - pivot_) * (value - pivot_);
    square_sum_ += value * value;
    for (Allclose& close : allcloses_) {
      double room = close.tolerance + close.tolerance * size;
      close.lowest = std::max(close.lowest, value - room);
      close.highest = std::min(close.highest, value + room);
    }
    if (draws_ > 0) {
      double distance = std::isfinite(before[i]) ? value - before[i] : largest_finite(Dtype::f64);
      moved_ += distance * distance, moved_most_ = std::max(moved_most_, std::abs(distance));
    }
    if (exact != nullptr && std::isfinite(exact[i])) {
      error_squares_ += (value - exact[i]) * (value - exact[i]);
      exact_squares_ += exact[i] * exact[i];
    }
  }
}

// Compares each slice with the first, until one differs.
void ResultValues::look_at_slices(const std::byte* values) {
  const uint64_t bytes = bytes_of(spec_.dtype);
  const double room = kRoundings * unit_;
  auto at = [&](uint64_t element) {
    double value = 0;
    load_block(spec_.dtype, values + element * bytes, 1, &value);
    return value;
  };
  uint64_t inner = elements_;  // elements that one step of the dimension is over, times its size
  for (size_t d = 0; d < spec_.shape.size() && elements_ > 0; ++d) {
    const auto size = static_cast<uint64_t>(spec_.shape[d]);
    const uint64_t whole = inner;
    inner /= size;
    for (uint64_t element = 0; element < elements_ && slices_equal_[d]; ++element) {
      uint64_t within = element % whole;
      if (within < inner) continue;
      double value = at(element), first = at(element - within + within % inner);
      bool equal = std::abs(value - first) <= room * std::abs(first) || value == first ||
                   (std::isnan(value) && std::isnan(first));
      if (!equal) slices_equal_[d] = false;
    }
  }
}

std::string ResultValues::for_each_seed() const {
  return draws_ > 1 ? fmt::format(", for each of {} seeds", draws_) : "";
}

// Nothing is there that could be right or wrong.
std::optional<Flaw> ResultValues::emptiness() const {
  const auto all = static_cast<double>(elements_ * draws_);
  if (elements_ == 0) return Flaw{FlawKind::constant, "has no elements"};
  if (nan_ > 0)
    return Flaw{FlawKind::non_finite, fmt::format("is NaN in {:.3g} % of its elements",
                                                  100 * static_cast<double>(nan_) / all)};
  if (2 * infinite_ > elements_ * draws_)
    return Flaw{FlawKind::non_finite, fmt::format("is infinite in {:.3g} % of its elements",
                                                  100 * static_cast<double>(infinite_) / all)};
  if (infinite_ > 0) return std::nullopt;
  if (zeros_ == elements_ * draws_)
    return Flaw{FlawKind::vanishes, "is 0 everywhere" + for_each_seed()};
  if (tiny_ == elements_ * draws_)
    return Flaw{FlawKind::vanishes,
                fmt::format("is at most {:.3g}{}: below the smallest normal number of {}",
                            std::max(largest_, -least_), for_each_seed(),
                            to_word(kDtypeWords, spec_.dtype))};
  if (has_exact_ && unit_ > 0 && error_squares_ > kAllIsError * kAllIsError * exact_squares_)
    return Flaw{FlawKind::cancels,
                fmt::format("is what rounding leaves: {:.3g} (rms), and {:.3g} computed in double",
                            std::sqrt(square_sum_ / all), std::sqrt(exact_squares_ / all))};
  return std::nullopt;
}

std::optional<Flaw> ResultValues::constancy() const {
  const auto all = static_cast<double>(elements_ * draws_);
  if (infinite_ == 0 && elements_ * draws_ > 1) {
    double mean = pivot_ + sum_ / all;
    double deviation = std::sqrt(std::max(0.0, squares_ / all - (sum_ / all) * (sum_ / all)));
    std::string where = elements_ > 1 ? " everywhere" : "";
    if (least_ == largest_)
      return Flaw{FlawKind::constant, fmt::format("is {:.6g}{}{}", mean, where, for_each_seed())};
    if (deviation <= kRoundings * unit_ * std::abs(mean))
      return Flaw{FlawKind::constant,
                  fmt::format("is {:.6g}{}{}, give or take {:.2g} (standard deviation)", mean,
                              where, for_each_seed(), deviation)};
  }
  if (draws_ < 2) return std::nullopt;
  double moved = std::sqrt(moved_ / static_cast<double>(elements_ * (draws_ - 1)));
  double size = std::sqrt(square_sum_ / all);
  bool stands = moved_most_ == 0 || (unit_ > 0 && moved_most_ < largest_finite(Dtype::f64) &&
                                     moved <= kRoundings * unit_ * size);
  if (!stands) return std::nullopt;
  std::string by =
      moved_most_ == 0 ? "" : fmt::format(" but for {:.2g} (rms) beside {:.3g}", moved, size);
  return Flaw{FlawKind::same, fmt::format("has the same values{}{}", for_each_seed(), by)};
}

std::optional<Flaw> ResultValues::tolerance() const {
  if (infinite_ > 0) return std::nullopt;
  for (const Allclose& close : allcloses_) {
    if (close.lowest > close.highest) continue;
    bool zero = close.lowest <= 0 && close.highest >= 0;
    double number = zero ? 0 : (close.lowest + close.highest) / 2;
    return Flaw{FlawKind::tolerance,
                fmt::format("is from {:.4g} to {:.4g}{}: {:.4g} everywhere passes allclose at {:g}",
                            least_, largest_, for_each_seed(), number, close.tolerance)};
  }
  return std::nullopt;
}

std::optional<Flaw> ResultValues::repetition() const {
  std::vector<std::string> dimensions;
  for (size_t d = 0; d < slices_equal_.size(); ++d)
    if (slices_equal_[d]) dimensions.push_back(fmt::format("{} (of {})", d, spec_.shape[d]));
  if (dimensions.empty()) return std::nullopt;
  return Flaw{FlawKind::slices,
              fmt::format("is the same all along dimension {}", fmt::join(dimensions, ", "))};
}

std::vector<Flaw> ResultValues::flaws() const {
  if (auto flaw = emptiness()) return {*flaw};
  std::vector<Flaw> found;
  auto flaw = constancy();
  if (flaw) found.push_back(*flaw);
  if (flaw && flaw->kind == FlawKind::constant) return found;
  if (auto close = tolerance()) found.push_back(*close);
  if (auto repeated = repetition()) found.push_back(*repeated);
  return found;
}

bool ResultValues::says_nothing() const { return emptiness() || constancy(); }

bool differ(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b, double unit,
            bool exact) {
  double largest = 0;
  in_blocks(dtype, elements, a, b, [&](double one, double) {
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
    return true;
  });
  const bool rounds = is_floating(dtype);
  const double relative = !rounds ? 0 : exact ? unit / 8 : kRoundings * unit;
  const double absolute = !rounds ? 0 : (exact ? 0x1p-44 : kRoundings * unit) * largest;
  bool differs = false;
  in_blocks(dtype, elements, a, b, [&](double one, double other) {
    bool equal = one == other || (std::isnan(one) && std::isnan(other)) ||
                 (std::isfinite(one) && std::isfinite(other) &&
                  std::abs(one - other) <= relative * std::abs(one) + absolute);
    differs = !equal;
    return equal;
  });
  return differs;
}

bool same_values(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b) {
  bool same = true;
  in_blocks(dtype, elements, a, b, [&](double one, double other) {
    return same = one == other || (std::isnan(one) && std::isnan(other));
  });
  return same;
}

}  // namespace assay
