#include "verify/mixing.h"

#include <array>
#include <cmath>
#include <cstring>

#include "verify/elements.h"
#include "verify/jumps.h"
#include "verify/number.h"

namespace assay {
namespace {

bool is_alike(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

// Takes the candidate's for right where `may`(candidate, exact, spread) says so.
template <class May>
uint64_t take_over(const Values& values, const std::byte* of_spread, std::byte* exact,
                   std::byte* baseline, const May& may) {
  const uint64_t size = bytes_of(values.dtype);
  uint64_t taken = 0;
  std::array<double, kBlockElements> candidate, now, spread;
  for (uint64_t first = 0; first < values.elements; first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, values.elements - first);
    load_block(values.dtype, values.candidate + first * size, count, candidate.data());
    std::memcpy(now.data(), values.exact + first * sizeof(double), count * sizeof(double));
    std::memcpy(spread.data(), of_spread + first * sizeof(double), count * sizeof(double));
    for (uint64_t i = 0; i < count; ++i) {
      if (std::isfinite(candidate[i]) || !may(candidate[i], now[i], spread[i])) continue;
      const uint64_t at = first + i;
      std::memcpy(exact + at * sizeof(double), &candidate[i], sizeof(double));
      std::memcpy(baseline + at * size, values.candidate + at * size, size);
      ++taken;
    }
  }
  return taken;
}

}  // namespace

uint64_t take_over_kinds(const Values& values, const std::byte* of_spread, std::byte* exact,
                         std::byte* baseline) {
  return take_over(values, of_spread, exact, baseline, [](double c, double e, double s) {
    return !std::isfinite(e) && !is_alike(c, e) && std::isnan(s);
  });
}

uint64_t take_over_places(const Values& values, const std::byte* of_spread, std::byte* exact,
                          std::byte* baseline) {
  return take_over(values, of_spread, exact, baseline, [](double, double e, double s) {
    return std::isfinite(e) && !std::isfinite(s);
  });
}

uint64_t take_over_picks(const Values& values, double largest, const std::byte* of_spread,
                         std::byte* exact) {
  return take_over_jumps(values, largest, of_spread, true, exact, values.elements);
}

}  // namespace assay
