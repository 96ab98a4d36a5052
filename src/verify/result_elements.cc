// Elements of tensors that tests leave, held against each other.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "verify/result_tree.h"

namespace assay {
namespace {

using Kind = ElementType::Kind;

template <class T>
T element_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double half_as_double(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double mantissa = bits & 1023;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31)
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

// Numbers of a tensor, those of complex ones as two each.
class Numbers {
 public:
  explicit Numbers(const ResultNode& node)
      : bytes_(node.bytes.data()),
        parts_(node.type->kind == Kind::complex ? 2 : 1),
        size_(node.type->bytes / parts_),
        count_(node.bytes.size() / size_),
        type_(*node.type) {}

  uint64_t count() const { return count_; }
  uint64_t element_of(uint64_t place) const { return place / parts_; }

  double operator[](uint64_t place) const {
    const char* at = bytes_ + place * size_;
    if (type_.kind == Kind::whole || type_.kind == Kind::boolean) return whole(at);
    if (size_ == 8) return element_as<double>(at);
    if (size_ == 4) return element_as<float>(at);
    if (type_.kind == Kind::narrow)  // bfloat16
      return std::bit_cast<float>(static_cast<uint32_t>(element_as<uint16_t>(at)) << 16);
    return half_as_double(element_as<uint16_t>(at));
  }

 private:
  double whole(const char* at) const {
    const bool is_signed = !type_.name.starts_with('u') && type_.kind == Kind::whole;
    switch (size_) {
      case 1:
        return is_signed ? element_as<int8_t>(at) : element_as<uint8_t>(at);
      case 2:
        return is_signed ? element_as<int16_t>(at) : element_as<uint16_t>(at);
      case 4:
        return is_signed ? element_as<int32_t>(at) : element_as<uint32_t>(at);
      default:
        return is_signed ? static_cast<double>(element_as<int64_t>(at))
                         : static_cast<double>(element_as<uint64_t>(at));
    }
  }

  const char* bytes_;
  uint64_t parts_, size_, count_;
  const ElementType& type_;
};

std::string place_in_words(const ResultNode& node, uint64_t element) {
  std::vector<int64_t> index(node.shape.size());
  for (size_t i = node.shape.size(); i-- > 0;) {
    const auto size = static_cast<uint64_t>(std::max<int64_t>(node.shape[i], 1));
    index[i] = static_cast<int64_t>(element % size);
    element /= size;
  }
  std::string words;
  for (int64_t each : index) words += fmt::format("{}{}", words.empty() ? "" : ", ", each);
  return node.shape.empty() ? "" : fmt::format("[{}]", words);
}

// NaN and infinity stand in the same places, or it is said where not.
std::optional<ResultDifference> unlike_kinds(const ResultNode& expected, const Numbers& a,
                                             const Numbers& b, bool nan_agrees = true) {
  for (uint64_t i = 0; i < a.count(); ++i) {
    const bool both = std::isfinite(a[i]) && std::isfinite(b[i]);
    if (both || a[i] == b[i]) continue;
    if (nan_agrees && std::isnan(a[i]) && std::isnan(b[i])) continue;
    return ResultDifference{.how = Differs::non_finite,
                            .where = place_in_words(expected, a.element_of(i)),
                            .why = fmt::format("it is {}, and the suite's is {}", b[i], a[i])};
  }
  return std::nullopt;
}

struct Beyond {
  uint64_t count = 0, first = 0;
  double most = 0;
};

template <class Allowed>
Beyond beyond_of(const Numbers& a, const Numbers& b, const Allowed& allowed) {
  Beyond beyond;
  for (uint64_t i = 0; i < a.count(); ++i) {
    if (!std::isfinite(a[i])) continue;
    const double off = std::abs(a[i] - b[i]);
    if (off <= allowed(std::abs(a[i]))) continue;
    if (beyond.count++ == 0) beyond.first = i;
    beyond.most = std::max(beyond.most, off);
  }
  return beyond;
}

std::optional<ResultDifference> said_of(const ResultNode& expected, const Numbers& a,
                                        const Numbers& b, const Beyond& beyond) {
  if (beyond.count == 0) return std::nullopt;
  return ResultDifference{
      .how = Differs::value,
      .where = place_in_words(expected, a.element_of(beyond.first)),
      .why = fmt::format("it is {:.7g}, and the suite's is {:.7g}; {} of {} are too far off, the "
                         "most by {:.3g}",
                         b[beyond.first], a[beyond.first], beyond.count, a.count(), beyond.most)};
}

std::optional<ResultDifference> within(const ResultNode& expected, const ResultNode& found,
                                       Tolerance tolerance, bool nan_agrees) {
  const Numbers a(expected), b(found);
  if (auto kinds = unlike_kinds(expected, a, b, nan_agrees)) return kinds;
  return said_of(expected, a, b, beyond_of(a, b, [&](double size) {
                   return tolerance.absolute + tolerance.relative * size;
                 }));
}

std::optional<ResultDifference> within_thresholds(const ResultNode& expected,
                                                  const ResultNode& found,
                                                  const SuiteTolerance::Thresholds& limits,
                                                  bool nan_agrees) {
  const Numbers a(expected), b(found);
  if (auto kinds = unlike_kinds(expected, a, b, nan_agrees)) return kinds;
  double dot = 0, aa = 0, bb = 0, off = 0, sum = 0, squares = 0;
  uint64_t count = 0;
  for (uint64_t i = 0; i < a.count(); ++i) {
    if (!std::isfinite(a[i])) continue;
    ++count;
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    off += std::abs(a[i] - b[i]);
    sum += std::abs(a[i]);
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  if (count == 0) return std::nullopt;
  const double cosine = aa * bb > 0 ? dot / std::sqrt(aa * bb) : aa == bb ? 1 : 0;
  constexpr double kLeastSum = 1e-12;  // as there: a result of zeros is held to zeros
  const double l1 = off / std::max(sum, kLeastSum);
  const double rmse = std::sqrt(squares / static_cast<double>(count));
  if (cosine >= limits.cosine && l1 <= limits.l1_relative && rmse <= limits.rmse)
    return std::nullopt;
  return ResultDifference{
      .how = Differs::value,
      .why =
          fmt::format("cosine {:.6g}, relative L1 {:.3g}, RMSE {:.3g}; allowed are {}, {} and {}",
                      cosine, l1, rmse, limits.cosine, limits.l1_relative, limits.rmse)};
}

ResultDifference no_such_numbers(const ResultNode& expected) {
  return {.how = Differs::type,
          .why = fmt::format("elements of {} are computed otherwise here", expected.type->name),
          .is_opaque = true};
}

// Of the type's own roundings a hundred or so: sums of any order are within, and what is computed
// with fewer bits or another formula is not.
struct TypeAllows {
  std::string_view type;
  double relative, part_of_usual;
};
constexpr TypeAllows kTypesAllow[] = {{"float16", 1e-2, 5e-3},
                                      {"float32", 1e-4, 5e-5},
                                      {"complex64", 1e-4, 5e-5},
                                      {"float64", 1e-5, 1e-5},
                                      {"complex128", 1e-5, 1e-5}};

double usual_size(const Numbers& numbers) {
  double squares = 0;
  uint64_t count = 0;
  for (uint64_t i = 0; i < numbers.count(); ++i) {
    if (!std::isfinite(numbers[i])) continue;
    squares += numbers[i] * numbers[i];
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

// As a tensor of one float, which is what most come from; or as Python does it.
std::optional<ResultDifference> numbers_differ(const ResultNode& expected, const ResultNode& found,
                                               bool is_nested, const CompareElements& elements,
                                               Strictness strictness) {
  const auto one_of = [](const float& value) {
    ResultNode node;
    node.kind = ResultNode::Kind::tensor;
    node.type = element_type("float32");
    node.bytes = {reinterpret_cast<const char*>(&value), sizeof value};
    return node;
  };
  if (strictness.takes_tolerance) {
    const auto a = static_cast<float>(expected.number), b = static_cast<float>(found.number);
    return elements(one_of(a), one_of(b), is_nested);
  }
  const bool both_nan = std::isnan(expected.number) && std::isnan(found.number);
  if (expected.number == found.number || (strictness.nan_agrees && both_nan)) return std::nullopt;
  return ResultDifference{
      .how = Differs::value,
      .why = fmt::format("it is {}, and the suite's is {}", found.number, expected.number)};
}

// What compares tensors, for floats of Python's as well.
CompareElements with_floats(const CompareElements& elements, Strictness strictness) {
  return [=](const ResultNode& expected, const ResultNode& found, bool is_nested) {
    if (expected.kind == ResultNode::Kind::number)
      return numbers_differ(expected, found, is_nested, elements, strictness);
    return elements(expected, found, is_nested);
  };
}

// Whole numbers of eight bits are often roundings: one in so many may be the next one.
constexpr uint64_t kRoundedOtherwise = 64;

}  // namespace

CompareElements as_suites_do(const SuiteTolerance& tolerance, Strictness strictness) {
  const CompareElements elements = [=](const ResultNode& expected, const ResultNode& found,
                                       bool is_nested) -> std::optional<ResultDifference> {
    const ElementType& type = *expected.type;
    const bool nan_agrees = strictness.nan_agrees;
    if (nan_agrees && expected.bytes == found.bytes) return std::nullopt;
    if (type.kind == Kind::narrow)
      return expected.bytes == found.bytes ? std::nullopt
                                           : std::optional(no_such_numbers(expected));
    // Of whole numbers, too: KernelBench-X takes all tensors for numbers there.
    if (tolerance.thresholds)
      return within_thresholds(expected, found, *tolerance.thresholds, nan_agrees);
    if (!tolerance.by_type)
      return within(expected, found, is_nested ? tolerance.nested : tolerance.bare, nan_agrees);
    if (type.kind != Kind::floating && type.kind != Kind::complex)
      return within(expected, found, {}, nan_agrees);
    return within(expected, found, type.name == "float16" ? tolerance.bare : tolerance.nested,
                  nan_agrees);
  };
  return with_floats(elements, strictness);
}

CompareElements as_types_allow() {
  const CompareElements elements = [](const ResultNode& expected, const ResultNode& found,
                                      bool) -> std::optional<ResultDifference> {
    const ElementType& type = *expected.type;
    if (expected.bytes == found.bytes) return std::nullopt;
    if (type.kind == Kind::narrow) return no_such_numbers(expected);
    const Numbers a(expected), b(found);
    if (type.kind == Kind::whole || type.kind == Kind::boolean) {
      const bool rounds = type.bytes == 1 && type.kind == Kind::whole;
      const Beyond next = beyond_of(a, b, [](double) { return 0; });
      if (next.count == 0 && expected.bytes != found.bytes)  // whole numbers beyond 2^53
        return ResultDifference{.how = Differs::value, .why = "its whole numbers are others"};
      if (rounds && next.most <= 1 && next.count * kRoundedOtherwise <= a.count())
        return std::nullopt;
      return said_of(expected, a, b, next);
    }
    const auto* allows = std::ranges::find(kTypesAllow, type.name, &TypeAllows::type);
    if (auto kinds = unlike_kinds(expected, a, b)) return kinds;
    const double usual = usual_size(a);
    return said_of(expected, a, b, beyond_of(a, b, [&](double size) {
                     return allows->relative * size + allows->part_of_usual * usual;
                   }));
  };
  return with_floats(elements, {.nan_agrees = true, .takes_tolerance = true});
}

}  // namespace assay
