#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/tensor.h"

namespace assay {

// The largest distance of two results, and the first element, by its flat place, that is not within
// |a - b| <= tolerance + tolerance |b|: torch.allclose(a, b, rtol=tolerance, atol=tolerance), in
// double. NaN is within nothing, an infinity is equal to itself. Both tensors are dense.
struct Closeness {
  double largest = 0;
  std::optional<uint64_t> first_beyond;
};
Closeness closeness(const TensorSpec& spec, std::span<const std::byte> a,
                    std::span<const std::byte> b, double tolerance);

}  // namespace assay
