#include "verify/same_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "verify/elements.h"
#include "verify/number.h"

namespace assay {

BitDifference difference(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b) {
  const uint64_t size = bytes_of(dtype);
  BitDifference result;
  for (uint64_t first = 0; first < elements; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, elements - first);
    const std::byte *left = a + first * size, *right = b + first * size;
    if (std::memcmp(left, right, count * size) == 0) continue;
    std::array<double, kBlockElements> x, y;
    load_block(dtype, left, count, x.data());
    load_block(dtype, right, count, y.data());
    for (uint64_t i = 0; i < count; ++i) {
      if (std::memcmp(left + i * size, right + i * size, size) == 0) continue;
      if (std::isnan(x[i]) && std::isnan(y[i])) continue;
      if (result.count++ == 0) result.first = first + i;
    }
  }
  return result;
}

std::string digest(Dtype dtype, uint64_t elements, const std::byte* values) {
  const uint64_t size = bytes_of(dtype);
  Sha256 hash;
  std::array<double, kBlockElements> numbers;
  std::array<std::byte, kBlockElements * sizeof(double)> bytes;
  for (uint64_t first = 0; first < elements; first += kBlockElements) {
    uint64_t count = std::min(kBlockElements, elements - first);
    std::memcpy(bytes.data(), values + first * size, count * size);
    if (is_floating(dtype)) {
      load_block(dtype, bytes.data(), count, numbers.data());
      for (uint64_t i = 0; i < count; ++i)  // any NaN as one
        if (std::isnan(numbers[i])) std::memset(bytes.data() + i * size, 0xff, size);
    }
    hash.add({reinterpret_cast<const char*>(bytes.data()), count * size});
  }
  return hash.finish();
}

}  // namespace assay
