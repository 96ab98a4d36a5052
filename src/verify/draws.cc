#include "verify/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "verify/distributions.h"
#include "verify/number.h"

namespace assay {
namespace {

constexpr uint64_t kMostPermuted = uint64_t{1} << 28;

// A number, or {"float": "inf"}: JSON has no infinity.
double number_of(JsonReader& fields, const char* name, double otherwise) {
  if (!fields.has(name)) return otherwise;
  const Json& value = fields.value(name);
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_object() && value.size() == 1 && value.contains("float")) {
    if (value["float"] == "inf") return std::numeric_limits<double>::infinity();
    if (value["float"] == "-inf") return -std::numeric_limits<double>::infinity();
    if (value["float"] == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  fields.fail("'" + std::string(name) + "' is no number");
  return otherwise;
}

std::vector<std::string> fields_of(DrawKind kind) {
  switch (kind) {
    case DrawKind::rand:
    case DrawKind::randint:
      return {"low", "high"};
    case DrawKind::randperm:
      return {"high"};
    case DrawKind::randn:
      return {"mean", "std"};
    case DrawKind::full:
      return {"value"};
    case DrawKind::arange:
      return {"low", "high", "step"};
    default:
      return {};
  }
}

// The random bits that a number in [0, 1) has: as many as torch gives one of this type.
int random_bits(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 53;
    case Dtype::f16:
      return 11;
    case Dtype::bf16:
      return 8;
    default:
      return 24;
  }
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

Status does_not_fit(const TensorSpec& spec, const Draw& draw, const std::string& why) {
  return error(Code::corrupt,
               fmt::format("a tensor of {} can't be drawn by '{}': {}",
                           to_word(kDtypeWords, spec.dtype), to_word(kDrawWords, draw.kind), why));
}

// The smallest and the largest value that an integer draw gives before scale and shift.
std::pair<double, double> extremes(const TensorSpec& spec, const Draw& draw) {
  auto last = static_cast<double>(spec.elements()) - 1;
  switch (draw.kind) {
    case DrawKind::randint:
      return {static_cast<double>(draw.int_low), static_cast<double>(draw.int_high) - 1};
    case DrawKind::ones:
      return {1, 1};
    case DrawKind::full:
      return {draw.value, draw.value};
    case DrawKind::randperm:
      return {0, std::max(last, 0.0)};
    case DrawKind::arange: {
      double end = draw.low + std::max(last, 0.0) * draw.step;
      return {std::min(draw.low, end), std::max(draw.low, end)};
    }
    default:
      return {0, 0};
  }
}

std::shared_ptr<std::vector<int64_t>> permutation(uint64_t count, const RandomStream& stream) {
  auto order = std::make_shared<std::vector<int64_t>>(count);
  std::iota(order->begin(), order->end(), 0);
  std::vector<uint32_t> words(2 * kBlockElements);
  for (uint64_t i = 0; i + 1 < count; ++i) {
    uint64_t place = i % kBlockElements;
    if (place == 0) stream.words(2 * i, words);
    uint64_t word = words[2 * place] | (uint64_t{words[2 * place + 1]} << 32);
    std::swap((*order)[i], (*order)[i + scale_to(word, count - i)]);
  }
  return order;
}

}  // namespace

Result<std::optional<Draw>> draw_from_json(const Json& json) {
  JsonReader fields(json, "how an input is drawn");
  auto kind = fields.optional_word<DrawKind>("draw", kDrawWords);
  Draw draw;
  draw.kind = kind.value_or(DrawKind::randn);
  std::vector<std::string> known{"draw", "dtype"};
  draw.dtype = fields.optional_word<Dtype>("dtype", kDtypeWords);
  if (kind) {
    std::ranges::copy(fields_of(*kind), std::back_inserter(known));
    known.insert(known.end(), {"scale", "shift"});
  } else if (json.is_object() && !json.contains("draw")) {
    fields.fail("'draw' is missing");
  }
  if (json.is_object())
    for (const auto& [name, value] : json.items())
      if (std::ranges::find(known, name) == known.end())
        fields.fail("'" + name.substr(0, 40) + "' is no field of it");
  if (draw.kind == DrawKind::randint) {
    draw.int_low = fields.optional_integer("low").value_or(0);
    draw.int_high = fields.integer("high");
    if (draw.int_low >= draw.int_high) fields.fail("'high' is not above 'low'");
  } else {
    draw.low = number_of(fields, "low", 0);
    draw.high = number_of(fields, "high", 1);
  }
  draw.step = number_of(fields, "step", 1);
  draw.mean = number_of(fields, "mean", 0);
  draw.deviation = number_of(fields, "std", 1);
  draw.value = number_of(fields, "value", 0);
  if (draw.kind == DrawKind::full && !fields.has("value")) fields.fail("'value' is missing");
  draw.scale = number_of(fields, "scale", 1);
  draw.shift = number_of(fields, "shift", 0);
  for (double number :
       {draw.low, draw.high, draw.step, draw.mean, draw.deviation, draw.scale, draw.shift})
    if (!std::isfinite(number)) fields.fail("only 'value' may be infinite");
  if (draw.low > draw.high && draw.kind == DrawKind::rand) fields.fail("'high' is below 'low'");
  if (draw.deviation < 0) fields.fail("'std' is negative");
  ASSAY_TRY(fields.status());
  if (!kind) return std::optional<Draw>();
  return draw;
}

Json to_json(const Draw& draw) {
  auto number = [](double value) -> Json {
    if (std::isfinite(value)) return value;
    return {{"float", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
  };
  Json json = {{"draw", to_word(kDrawWords, draw.kind)}};
  for (const std::string& field : fields_of(draw.kind)) {
    if (field == "value") json[field] = number(draw.value);
    if (field == "mean") json[field] = draw.mean;
    if (field == "std") json[field] = draw.deviation;
    if (field == "step") json[field] = draw.step;
    bool whole = draw.kind == DrawKind::randint;
    if (field == "low") json[field] = whole ? Json(draw.int_low) : Json(draw.low);
    if (field == "high") json[field] = whole ? Json(draw.int_high) : Json(draw.high);
  }
  if (draw.dtype) json["dtype"] = to_word(kDtypeWords, *draw.dtype);
  if (draw.scale != 1) json["scale"] = draw.scale;
  if (draw.shift != 0) json["shift"] = draw.shift;
  return json;
}

Status check(const TensorSpec& spec, const Draw& draw) {
  if (draw.kind == DrawKind::randperm &&
      (spec.shape.size() != 1 || spec.elements() > kMostPermuted))
    return does_not_fit(spec, draw, "it has one dimension of at most 2^28 elements");
  if (is_floating(spec.dtype)) return {};
  bool drawn_floating = draw.dtype && is_floating(*draw.dtype);
  if (draw.kind == DrawKind::rand || draw.kind == DrawKind::randn || drawn_floating)
    return does_not_fit(spec, draw, "it makes floating-point numbers");
  auto [low, high] = extremes(spec, draw);
  for (double number : {draw.scale, draw.shift, low, high, draw.step})
    if (!is_whole(number)) return does_not_fit(spec, draw, "it makes fractions");
  double least = spec.dtype == Dtype::u8 || spec.dtype == Dtype::boolean
                     ? 0
                     : -largest_finite(spec.dtype) - (spec.dtype == Dtype::i64 ? 0 : 1);
  double most = largest_finite(spec.dtype);
  // Far from where sums and products of 64-bit numbers overflow on the way.
  constexpr double kFar = 0x1p62;
  for (double end : {low, high}) {
    double value = end * draw.scale + draw.shift;
    bool far = std::fabs(draw.shift) > kFar || std::fabs(draw.step) > kFar ||
               std::fabs(draw.scale) > kFar || std::fabs(end) > 2 * kFar ||
               (draw.scale != 1 && std::max(std::fabs(end), std::fabs(end * draw.scale)) > kFar);
    if (far || value < least || value > most || (spec.dtype == Dtype::i64 && value >= most))
      return does_not_fit(spec, draw, fmt::format("{} is out of its range", value));
  }
  return {};
}

Floats floats(const TensorSpec& spec, const Draw& draw, const RandomStream& stream) {
  const double scale = draw.scale, shift = draw.shift;
  switch (draw.kind) {
    case DrawKind::rand: {
      const double low = draw.low, high = draw.high;
      const bool unit = low == 0 && high == 1;
      return [=, dtype = spec.dtype](uint64_t first, std::span<double> values) {
        uniform(stream, first, random_bits(dtype), values);
        if (!unit) {
          for (double& value : values) value = low + value * (high - low);
          round_block(dtype, values.data(), values.size(), values.data());
          // Rounding can reach the end that is not part of the range.
          for (double& value : values) value = value >= high ? low : value;
        }
        for (double& value : values) value = value * scale + shift;
      };
    }
    case DrawKind::randn: {
      const double factor = draw.deviation * scale;
      const double offset = draw.mean * scale + shift;
      return [=](uint64_t first, std::span<double> values) {
        normal(stream, first, values);
        for (double& value : values) value = value * factor + offset;
      };
    }
    case DrawKind::zeros:
    case DrawKind::ones:
    case DrawKind::full: {
      double base = draw.kind == DrawKind::full ? draw.value : draw.kind == DrawKind::ones ? 1 : 0;
      return [=](uint64_t, std::span<double> values) {
        std::ranges::fill(values, base * scale + shift);
      };
    }
    case DrawKind::arange:
      return [=, low = draw.low, step = draw.step](uint64_t first, std::span<double> values) {
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = (low + static_cast<double>(first + i) * step) * scale + shift;
      };
    case DrawKind::randint:
    case DrawKind::randperm: {
      Draw plain = draw;
      plain.scale = 1;
      plain.shift = 0;
      return [=, whole = integers(spec, plain, stream)](uint64_t first, std::span<double> values) {
        std::vector<int64_t> numbers(values.size());
        whole(first, numbers);
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = static_cast<double>(numbers[i]) * scale + shift;
      };
    }
  }
  return {};
}

Integers integers(const TensorSpec& spec, const Draw& draw, const RandomStream& stream) {
  const auto scale = static_cast<int64_t>(draw.scale), shift = static_cast<int64_t>(draw.shift);
  auto finish = [=](std::span<int64_t> values) {
    if (scale != 1 || shift != 0)
      for (int64_t& value : values) value = value * scale + shift;
  };
  switch (draw.kind) {
    case DrawKind::randint: {
      uint64_t count = static_cast<uint64_t>(draw.int_high) - static_cast<uint64_t>(draw.int_low);
      return [=, low = draw.int_low](uint64_t first, std::span<int64_t> values) {
        integers(stream, first, low, count, values);
        finish(values);
      };
    }
    case DrawKind::randperm:
      return [=, order = permutation(spec.elements(), stream)](uint64_t first,
                                                               std::span<int64_t> values) {
        std::copy_n(order->begin() + static_cast<int64_t>(first), values.size(), values.begin());
        finish(values);
      };
    case DrawKind::arange:
      return [=, low = static_cast<int64_t>(draw.low), step = static_cast<int64_t>(draw.step)](
                 uint64_t first, std::span<int64_t> values) {
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = low + static_cast<int64_t>(first + i) * step;
        finish(values);
      };
    default: {
      double base = draw.kind == DrawKind::full ? draw.value : draw.kind == DrawKind::ones ? 1 : 0;
      return [=, whole = static_cast<int64_t>(base)](uint64_t, std::span<int64_t> values) {
        std::ranges::fill(values, whole);
        finish(values);
      };
    }
  }
}

Status draw(const TensorSpec& spec, const Draw& draw, const RandomStream& stream,
            std::byte* tensor) {
  ASSAY_TRY(check(spec, draw));
  if (is_floating(spec.dtype))
    fill(spec, tensor, floats(spec, draw, stream));
  else
    fill(spec, tensor, integers(spec, draw, stream));
  return {};
}

}  // namespace assay
