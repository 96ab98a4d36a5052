#include "verify/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "verify/elements.h"
#include "verify/margins.h"
#include "verify/number.h"

namespace assay {
namespace {

// Of f16 so large that a sum of products with one is finite, and so are its parts.
double spike(Dtype dtype) { return dtype == Dtype::f16 ? 1e3 : 3e4; }

// `count` different elements, these first.
std::vector<uint64_t> places(uint64_t elements, uint64_t count, std::vector<uint64_t> order,
                             const RandomStream& stream) {
  std::set<uint64_t> chosen(order.begin(), order.end());
  for (uint64_t draw = 0; order.size() < std::min(count, elements); ++draw) {
    uint64_t place = stream.below(draw, elements);
    if (chosen.insert(place).second) order.push_back(place);
  }
  return order;
}

void put(const TensorSpec& spec, std::byte* tensor, uint64_t place, double value) {
  std::array<std::byte, sizeof(double)> packed;
  store_block(spec.dtype, &value, 1, packed.data());
  scatter(spec, tensor, place, 1, packed.data());
}

// An element where a loop is neither at its beginning nor at its end, and not of the last row, as
// far as there is one.
uint64_t place_inside(const TensorSpec& spec, const RandomStream& stream) {
  const uint64_t elements = spec.elements();
  const uint64_t row = spec.shape.empty() ? 1 : static_cast<uint64_t>(spec.shape.back());
  const uint64_t before_last_row = elements > row ? elements - row : elements;
  constexpr uint64_t kAttempts = 100;  // of which three in ten do, with four dimensions
  uint64_t place = 0;
  for (uint64_t draw = 0; draw < kAttempts; ++draw) {
    place = stream.below(draw, before_last_row);
    if (is_interior(spec.shape, place)) break;
  }
  return place;
}

double finite_number(const FiniteChoice& choice, const RandomStream& stream, uint64_t place) {
  const double part = static_cast<double>(stream.below(2 * place, 1 << 10)) / (1 << 10);
  const double sign = stream.below(2 * place + 1, 2) == 1 ? -1 : 1;
  switch (choice.choice) {
    case 0:
      return 0;
    case 1:
      return 30 * std::exp2(6 * part);  // as far as squares of f16 go
    case 2:
      return -30 * std::exp2(6 * part);
    case 3:
      return 0.1 + 0.4 * part;
    case 4:
      return -0.1 - 0.4 * part;
    default:
      return sign * std::exp2(20 * part - 10);
  }
}

}  // namespace

// So many of each kind that whoever heeds them only in a part of a tensor, in the scalar loop
// behind a vector's or in one lane of eight, is seen. One NaN at least is inside, and the last
// element is of any kind.
void put_nonfinite(const TensorSpec& spec, const FiniteChoice& finite, const RandomStream& stream,
                   std::byte* tensor) {
  const uint64_t elements = spec.elements();
  if (elements == 0) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kKinds[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  const RandomStream others = stream.named(fmt::format("finite {}", finite.choice));
  int count = 0;
  auto put_one = [&](uint64_t place, uint64_t kind) {
    const bool is_replaced = (finite.kinds >> kind & 1) != 0 && count++ != finite.kept;
    put(spec, tensor, place, is_replaced ? finite_number(finite, others, place) : kKinds[kind]);
  };
  // Of small tensors fewer: something must be left to be finite.
  const uint64_t each = std::max(std::clamp<uint64_t>(elements / 256, 1, 4),
                                 std::min<uint64_t>(elements / 65536, 64));
  const uint64_t inside = place_inside(spec, stream.named("inside"));
  const uint64_t last = elements - 1;
  if (last != inside) put_one(last, stream.named("last").below(0, 3));
  std::vector<uint64_t> taken{inside};
  if (last != inside) taken.push_back(last);
  uint64_t i = 0;
  for (uint64_t place : places(elements, 3 * each + 1, std::move(taken), stream))
    if (place == inside || place != last) put_one(place, i++ % 3);
}

void put_spikes(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor) {
  uint64_t elements = spec.elements();
  if (elements == 0) return;
  uint64_t count = std::clamp<uint64_t>(elements / 1024, 1, 4096);
  RandomStream signs = stream.named("signs");
  const double most = spike(spec.dtype);
  uint64_t i = 0;
  // The last element is one: loops most often go wrong at their end.
  for (uint64_t place : places(elements, count, {elements - 1}, stream))
    put(spec, tensor, place, signs.below(i++, 2) == 0 ? most : -most);
}

}  // namespace assay
