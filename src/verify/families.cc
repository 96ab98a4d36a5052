#include "verify/families.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <set>

#include "verify/distributions.h"
#include "verify/margins.h"
#include "verify/number.h"

namespace assay {
namespace {

// How far from 0 normal numbers may be put without losing all their bits, or overflowing.
// In f16 products of two such would be infinite, and so would parts of sums that are not.
double large_scale(Dtype dtype, Role role) {
  if (dtype != Dtype::f16) return 1e4;
  return role == Role::leading ? 256 : 1;
}
double large_offset(Dtype dtype) { return dtype == Dtype::f16 || dtype == Dtype::bf16 ? 16 : 1e4; }
// Of `tiny`: so small that squares are no subnormal numbers yet, and where their squares are as
// large as what people add to them.
double tiny_scale(Dtype dtype, int attempt) {
  if (attempt > 0) return dtype == Dtype::f16 ? 1e-2 : 1e-3;
  return dtype == Dtype::f16 ? 1e-3 : 1e-10;
}

// Normal numbers times this are subnormal, but for the rarest.
double denormal_scale(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 0x1p-1025;
    case Dtype::f16:
      return 0x1p-17;
    default:
      return 0x1p-129;
  }
}

Floats normals(const RandomStream& stream, double scale, double shift) {
  return [=](uint64_t first, std::span<double> values) {
    normal(stream, first, values);
    for (double& value : values) value = value * scale + shift;
  };
}

// Normal numbers of all magnitudes from a hundredth to a hundred: formulas change their branch
// there.
Floats many_magnitudes(const RandomStream& stream) {
  constexpr double kPowers = 6;
  return [=, powers = stream.named("powers")](uint64_t first, std::span<double> values) {
    normal(stream, first, values);
    std::vector<double> power(values.size());
    uniform(powers, first, 24, power);
    for (size_t i = 0; i < values.size(); ++i) values[i] *= std::exp2(kPowers * (2 * power[i] - 1));
  };
}

Floats choices(const RandomStream& stream, std::vector<double> among) {
  return [=, among = std::move(among)](uint64_t first, std::span<double> values) {
    std::vector<int64_t> picks(values.size());
    integers(stream, first, 0, among.size(), picks);
    for (size_t i = 0; i < values.size(); ++i) values[i] = among[static_cast<size_t>(picks[i])];
  };
}

// Odd numbers up to `widest`, of both signs.
Floats odd_numbers(const RandomStream& stream, int64_t widest) {
  return [=](uint64_t first, std::span<double> values) {
    std::vector<int64_t> picks(values.size());
    integers(stream, first, -(widest + 1) / 2, static_cast<uint64_t>(widest + 1), picks);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(2 * picks[i] + 1);
  };
}

bool has_margin(const std::vector<int64_t>& shape) {
  return std::ranges::any_of(shape, [](int64_t size) { return margin_of(size) > 0; });
}

// Own values at the margins from the earlier stream, inside from this one.
template <class Values, class T>
Values inside(const TensorSpec& spec, const Values& earlier, const Values& now) {
  return [=, shape = spec.shape](uint64_t first, std::span<T> values) {
    std::vector<T> kept(values.size());
    earlier(first, kept);
    now(first, values);
    for (size_t i = 0; i < values.size(); ++i)
      if (!is_interior(shape, first + i)) values[i] = kept[i];
  };
}

Status fill_interior(const TensorSpec& spec, const Draw& draw, const RandomStream* earlier,
                     const RandomStream& stream, std::byte* tensor) {
  assert(earlier != nullptr);
  if (!has_margin(spec.shape)) return assay::draw(spec, draw, stream, tensor);
  if (draw.kind == DrawKind::randperm) return assay::draw(spec, draw, stream, tensor);
  if (is_floating(spec.dtype))
    fill(spec, tensor,
         inside<Floats, double>(spec, floats(spec, draw, *earlier), floats(spec, draw, stream)));
  else
    fill(spec, tensor,
         inside<Integers, int64_t>(spec, integers(spec, draw, *earlier),
                                   integers(spec, draw, stream)));
  return {};
}

// The earlier draw with a few elements of this one in it.
Status fill_touched(const TensorSpec& spec, const Draw& draw, const RandomStream* earlier,
                    const RandomStream& stream, std::byte* tensor) {
  assert(earlier != nullptr);
  if (draw.kind == DrawKind::randperm) return assay::draw(spec, draw, stream, tensor);
  ASSAY_TRY(assay::draw(spec, draw, *earlier, tensor));
  std::array<std::byte, sizeof(double)> packed;
  for (uint64_t place : touched_places(spec.shape, stream)) {
    if (is_floating(spec.dtype)) {
      double value = 0;
      floats(spec, draw, stream)(place, {&value, 1});
      store_block(spec.dtype, &value, 1, packed.data());
    } else {
      int64_t value = 0;
      integers(spec, draw, stream)(place, {&value, 1});
      store_integers(spec.dtype, &value, 1, packed.data());
    }
    scatter(spec, tensor, place, 1, packed.data());
  }
  return {};
}

// A mask that is one value throughout shows nothing of its use: an eighth of it is turned.
void fill_mask(const TensorSpec& spec, const Draw& draw, const RandomStream& stream,
               std::byte* tensor) {
  RandomStream turned = stream.named("mask");
  fill(spec, tensor,
       Integers(
           [&, as_drawn = integers(spec, draw, stream)](uint64_t first, std::span<int64_t> values) {
             as_drawn(first, values);
             std::vector<int64_t> picks(values.size());
             integers(turned, first, 0, 8, picks);
             for (size_t i = 0; i < values.size(); ++i)
               if (picks[i] == 0) values[i] = values[i] == 0 ? 1 : 0;
           }));
}

Status fill_indices(const TensorSpec& spec, const Draw& draw, Family family,
                    const RandomStream& stream, std::byte* tensor) {
  if (draw.kind != DrawKind::randint) {
    if (family != Family::ties || !is_still_mask(spec, draw))
      return assay::draw(spec, draw, stream, tensor);
    fill_mask(spec, draw, stream, tensor);
    return {};
  }
  Draw narrow = draw;
  auto range = static_cast<uint64_t>(draw.int_high) - static_cast<uint64_t>(draw.int_low);
  auto only = [&](int64_t low, uint64_t count) {
    narrow.int_low = low;
    narrow.int_high = static_cast<int64_t>(static_cast<uint64_t>(low) + count);
  };
  auto from_low = [&](uint64_t offset) {
    return static_cast<int64_t>(static_cast<uint64_t>(draw.int_low) + offset);
  };
  RandomStream pick = stream.named("indices");
  if (family == Family::zeros) only(draw.int_low, 1);
  if (family == Family::large) only(draw.int_high - 1, 1);
  if (family == Family::constants) only(from_low(pick.below(0, range)), 1);
  if (family == Family::ties) {
    uint64_t few = std::min<uint64_t>(3, range);
    only(from_low(pick.below(0, range - few + 1)), few);
  }
  return assay::draw(spec, narrow, stream, tensor);
}

// Of a domain of its own, which the file says or the call that made it.
Status fill_domain(const TensorSpec& spec, const Draw* draw, const FamilyFill& how,
                   const RandomStream& stream, std::byte* tensor) {
  const bool is_own = how.family == Family::own;
  const bool is_interior = how.family == Family::interior || how.family == Family::touched;
  switch (how.domain.kind) {
    case DomainKind::free:
    case DomainKind::constant:
      return {};
    case DomainKind::graph:
      fill_graph(spec, how.domain, is_interior ? how.earlier : nullptr, stream, tensor);
      return {};
    case DomainKind::index: {
      // Others than the file's own, whatever that is: any below N are good.
      const Draw any = draw_of(how.domain);
      const bool is_drawn = draw != nullptr && draw->kind == DrawKind::randint;
      if (!is_drawn && !is_own && !is_interior) draw = &any;
      if (draw == nullptr) return {};
      return is_interior ? fill_interior(spec, *draw, how.earlier, stream, tensor)
                         : fill_indices(spec, *draw, how.family, stream, tensor);
    }
    case DomainKind::mask: {
      if (draw != nullptr && is_interior)
        ASSAY_TRY(fill_interior(spec, *draw, how.earlier, stream, tensor));
      else if (draw != nullptr && draw->kind == DrawKind::randint)
        ASSAY_TRY(fill_indices(spec, *draw, how.family, stream, tensor));
      else if (draw != nullptr)
        ASSAY_TRY(assay::draw(spec, *draw, stream, tensor));
      // All of it is shown as it is.
      const bool is_still = draw != nullptr && domain_of(spec, *draw) == how.domain;
      if (is_still && how.family != Family::ties) return {};
      const RandomStream turned = stream.named("mask");
      keep_mask(spec, how.domain, how.family == Family::ties ? &turned : nullptr, tensor);
      return {};
    }
  }
  return {};
}

// Less than half of those that it has.
int few_bits(Dtype dtype) { return (-std::ilogb(unit_roundoff(dtype)) - 1) / 2; }

// Whether no bit is set beyond the first, and `few` behind it.
bool has_few_bits(double value, int few) {
  int exponent = 0;
  double shifted = std::ldexp(std::frexp(value, &exponent), few + 1);
  return shifted == std::trunc(shifted);
}

// Whether a tensor of floating point holds labels or flags: few values, one step apart; or, where
// it is not known how it was drawn, few whole numbers of few bits, or infinities, but not one
// alone. No fractions: those are weights, such as the slopes of ALiBi, and say what comes out.
constexpr uint64_t kFewValues = 16;

bool has_few_values(const Draw& draw) {
  auto range = static_cast<uint64_t>(draw.int_high) - static_cast<uint64_t>(draw.int_low);
  return draw.kind == DrawKind::randint && range <= kFewValues;
}

bool has_few_values(const TensorSpec& spec, const std::byte* tensor) {
  std::set<double> found;
  const int few = few_bits(spec.dtype);
  std::array<double, kBlockElements> values;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, tensor, first, {values.data(), count});
    for (uint64_t i = 0; i < count; ++i) {
      if (std::isnan(values[i])) return false;
      const bool is_whole = values[i] == std::trunc(values[i]) && has_few_bits(values[i], few);
      if (std::isfinite(values[i]) && !is_whole) return false;
      found.insert(values[i]);
      if (found.size() > kFewValues) return false;
    }
  }
  return found.size() > 1 && spec.elements() >= 2 * found.size();
}

// Of `constants`: eighths, so that sums of them are exact, and a mean is.
double constant(const RandomStream& stream) {
  double magnitude = 0.5 + static_cast<double>(stream.below(0, 13)) / 8;
  return stream.below(1, 2) == 0 ? magnitude : -magnitude;
}

// Numbers that come again and again where there are so many others: 0.1, or -1e9 for what is to be
// left out. In the half precisions all do.
std::set<double> repeated_values(const TensorSpec& spec, const std::byte* tensor) {
  constexpr uint64_t kLooked =
      1 << 16;  // drawn at random, so few of f32 come three times by chance
  constexpr size_t kTimes = 3;
  if (spec.dtype != Dtype::f32 && spec.dtype != Dtype::f64) return {};
  std::vector<double> found;
  const uint64_t blocks = (spec.elements() + kBlockElements - 1) / kBlockElements;
  const uint64_t stride = std::max<uint64_t>(1, blocks * kBlockElements / kLooked);
  for (uint64_t block = 0; block < blocks; block += stride) {
    const uint64_t first = block * kBlockElements;
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    found.resize(found.size() + count);
    load(spec, tensor, first, std::span(found).last(count));
  }
  std::erase_if(found, [](double value) { return std::isnan(value); });
  std::ranges::sort(found);
  std::set<double> repeated;
  for (size_t i = 0; i + kTimes <= found.size(); ++i)
    if (found[i] == found[i + kTimes - 1]) repeated.insert(found[i]);
  return repeated;
}

}  // namespace

std::vector<uint64_t> touched_places(const std::vector<int64_t>& shape,
                                     const RandomStream& stream) {
  constexpr uint64_t kPart = 512, kLeast = 2;
  const RandomStream places = stream.named("touched");
  uint64_t elements = 1, inside = 1;
  for (int64_t size : shape) {
    elements *= static_cast<uint64_t>(size);
    inside *= static_cast<uint64_t>(size) - 2 * margin_of(size);
  }
  const uint64_t count = std::min(inside, std::max(elements / kPart, kLeast));
  std::set<uint64_t> chosen;
  for (uint64_t draw = 0; chosen.size() < count; ++draw)
    if (const uint64_t place = places.below(draw, elements); is_interior(shape, place))
      chosen.insert(place);
  return {chosen.begin(), chosen.end()};
}

bool holds_labels(const TensorSpec& spec, const Draw* draw, const std::byte* tensor) {
  return is_floating(spec.dtype) &&
         (draw != nullptr ? has_few_values(*draw) : has_few_values(spec, tensor));
}

int64_t widest_integer(Dtype dtype, uint64_t sum_length, int attempt) {
  // The bits of a factor, and those that a sum of products may have where it is formed: f16 and
  // bf16 are summed up in f32.
  int bits = 12, sum_bits = 24;
  if (dtype == Dtype::f64) bits = 26, sum_bits = 53;
  if (dtype == Dtype::f16) bits = 11;
  if (dtype == Dtype::bf16) bits = 8;
  // A sum of n products with random signs goes as the root of n; six times its deviation is what
  // none of many millions exceeds. What overflows f16 on the way out is not whole either.
  double most = dtype == Dtype::f16 ? 65504 : std::ldexp(1.0, sum_bits);
  double room =
      most / (6 * 0.48 * std::sqrt(static_cast<double>(std::max<uint64_t>(sum_length, 1))));
  int64_t widest = std::min((int64_t{1} << bits) - 1, static_cast<int64_t>(room));
  widest >>= std::min(4 * attempt, 40);
  return std::max<int64_t>(1, (widest - 1) | 1);
}

Status fill_family(const TensorSpec& spec, const Draw* draw, const FamilyFill& how,
                   const RandomStream& stream, std::byte* tensor) {
  if (spec.elements() == 0) return {};
  if (draw != nullptr) ASSAY_TRY(check(spec, *draw));
  if (how.domain.kind != DomainKind::free) return fill_domain(spec, draw, how, stream, tensor);
  if (how.family == Family::interior)
    return draw == nullptr ? Status() : fill_interior(spec, *draw, how.earlier, stream, tensor);
  if (how.family == Family::touched)
    return draw == nullptr ? Status() : fill_touched(spec, *draw, how.earlier, stream, tensor);
  if (!is_floating(spec.dtype) || holds_labels(spec, draw, tensor))
    return draw == nullptr ? Status() : fill_indices(spec, *draw, how.family, stream, tensor);
  Family family = how.family;
  if (how.role == Role::other && leads_alone(family)) family = Family::own;
  switch (family) {
    case Family::own:
    case Family::spike:
    case Family::nonfinite:
      if (draw != nullptr) ASSAY_TRY(assay::draw(spec, *draw, stream, tensor));
      if (family == Family::spike) put_spikes(spec, stream.named("spikes"), tensor);
      if (family == Family::nonfinite)
        put_nonfinite(spec, how.finite, stream.named("nonfinite"), tensor);
      return {};
    case Family::zeros:
      fill(spec, tensor, choices(stream, {0.0}));
      return {};
    case Family::constants:
      fill(spec, tensor, choices(stream, {constant(stream)}));
      return {};
    case Family::ties:
      fill(spec, tensor, choices(stream, {-1, -0.5, 0, 0.5, 1}));
      return {};
    case Family::moderate:
      fill(spec, tensor, many_magnitudes(stream));
      return {};
    case Family::large:
      fill(spec, tensor, normals(stream, large_scale(spec.dtype, how.role), 0));
      return {};
    case Family::offset:
      fill(spec, tensor, normals(stream, 1, large_offset(spec.dtype)));
      return {};
    case Family::tiny:
      fill(spec, tensor, normals(stream, tiny_scale(spec.dtype, how.attempt), 0));
      return {};
    case Family::denormal:
      fill(spec, tensor, normals(stream, denormal_scale(spec.dtype), 0));
      return {};
    case Family::integers:
      fill(spec, tensor,
           how.role == Role::other
               ? choices(stream, {-1, 0, 1})
               : odd_numbers(stream, widest_integer(spec.dtype, how.sum_length, how.attempt)));
      return {};
    case Family::interior:
    case Family::touched:
      break;
  }
  return {};
}

void perturb(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor, double steps) {
  if (!is_floating(spec.dtype)) return;
  // Rounding to the type makes one step of it, up or down, or half of one.
  const double step = steps * 2 * unit_roundoff(spec.dtype);
  const int few = few_bits(spec.dtype);
  const std::set<double> repeated = repeated_values(spec, tensor);
  fill(spec, tensor, Floats([&](uint64_t first, std::span<double> values) {
         std::vector<int64_t> signs(values.size());
         integers(stream, first, 0, 2, signs);
         load(spec, tensor, first, values);
         for (size_t i = 0; i < values.size(); ++i)
           if (!has_few_bits(values[i], few) && !repeated.contains(values[i]))
             values[i] *= signs[i] == 0 ? 1 - step : 1 + step;
       }));
}

bool is_fresh(const TensorSpec& spec, const std::byte* tensor, const std::byte* earlier) {
  const uint64_t total = spec.elements(), size = bytes_of(spec.dtype);
  constexpr uint64_t kParts = 4;
  uint64_t different = 0;
  std::array<bool, kParts> touched{};
  std::array<std::byte, kBlockElements * sizeof(double)> now, then;
  for (uint64_t first = 0; first < total; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, total - first);
    gather(spec, tensor, first, count, now.data());
    gather(spec, earlier, first, count, then.data());
    for (uint64_t i = 0; i < count; ++i) {
      if (std::memcmp(now.data() + i * size, then.data() + i * size, size) == 0) continue;
      ++different;
      touched[static_cast<size_t>(static_cast<unsigned __int128>(first + i) * kParts / total)] =
          true;
    }
  }
  if (total < 64) return different > 0;
  return different >= (total + 99) / 100 && std::ranges::all_of(touched, [](bool t) { return t; });
}

}  // namespace assay
