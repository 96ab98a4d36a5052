#include "verify/unaffected.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "verify/elements.h"
#include "verify/number.h"

namespace assay {

Unaffected::Unaffected(const Values& values, const std::byte* exact, const std::byte* baseline)
    : exact_(values.elements),
      baseline_(baseline, baseline + values.elements * bytes_of(values.dtype)),
      same_(values.elements) {
  std::memcpy(exact_.data(), exact, values.elements * sizeof(double));
  for (uint64_t i = 0; i < values.elements; ++i) same_[i] = !std::isnan(exact_[i]);
}

void Unaffected::add(const std::byte* exact) {
  for (uint64_t i = 0; i < exact_.size(); ++i) {
    double other = 0;
    std::memcpy(&other, exact + i * sizeof(double), sizeof other);
    if (other == exact_[i]) continue;
    same_[i] = false;
    some_are_affected_ = some_are_affected_ || !std::isnan(other) || !std::isnan(exact_[i]);
  }
}

uint64_t Unaffected::take_over(const Values& values, std::byte* exact, std::byte* baseline) const {
  const uint64_t size = bytes_of(values.dtype);
  uint64_t taken = 0;
  std::array<double, kBlockElements> candidate, now;
  for (uint64_t first = 0; first < values.elements; first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, values.elements - first);
    load_block(values.dtype, values.candidate + first * size, count, candidate.data());
    std::memcpy(now.data(), values.exact + first * sizeof(double), count * sizeof(double));
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = first + i;
      if (!same_[at] || std::isnan(candidate[i]) || !std::isnan(now[i])) continue;
      std::memcpy(exact + at * sizeof(double), &exact_[at], sizeof(double));
      std::memcpy(baseline + at * size, &baseline_[at * size], size);
      ++taken;
    }
  }
  return taken;
}

}  // namespace assay
