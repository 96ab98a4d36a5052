// What of a tensor family `interior` keeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay {

// Kept at either end of a dimension. Little enough that fresh values are spread over the whole.
inline uint64_t margin_of(int64_t size) {
  return size < 8 ? 0 : std::min<uint64_t>(static_cast<uint64_t>(size) / 8, 64);
}

// Whether an element lies inside in every dimension that has an inside.
inline bool is_interior(const std::vector<int64_t>& shape, uint64_t flat) {
  for (size_t d = shape.size(); d-- > 0;) {
    auto size = static_cast<uint64_t>(shape[d]);
    uint64_t at = flat % size, margin = margin_of(shape[d]);
    flat /= size;
    if (at < margin || at >= size - margin) return false;
  }
  return true;
}

}  // namespace assay
