#include "verify/allclose.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "verify/elements.h"

namespace assay {

Closeness closeness(const TensorSpec& spec, std::span<const std::byte> a,
                    std::span<const std::byte> b, double tolerance) {
  Closeness found;
  std::array<double, kBlockElements> left, right;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, a.data(), first, {left.data(), count});
    load(spec, b.data(), first, {right.data(), count});
    for (uint64_t i = 0; i < count; ++i) {
      if (left[i] == right[i]) continue;
      const double apart = std::fabs(left[i] - right[i]);
      const bool is_close =
          std::isfinite(right[i]) && apart <= tolerance + tolerance * std::fabs(right[i]);
      if (!is_close && !found.first_beyond) found.first_beyond = first + i;
      found.largest = std::isnan(apart) ? apart : std::max(found.largest, apart);
    }
  }
  return found;
}

}  // namespace assay
