#include "verify/elements.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "base/cores.h"
#include "verify/number.h"

namespace assay {
namespace {

// Calls visit(offset in bytes of the element, place among the packed) for each element in turn.
template <class Visit>
void walk(const TensorSpec& spec, uint64_t first, uint64_t count, Visit visit) {
  size_t rank = spec.shape.size();
  std::vector<int64_t> index = multi_index(spec.shape, first);
  int64_t element = 0;
  for (size_t d = 0; d < rank; ++d) element += index[d] * spec.strides[d];
  const uint64_t size = bytes_of(spec.dtype);
  for (uint64_t done = 0; done < count; ++done) {
    visit(static_cast<uint64_t>(element) * size, done * size);
    for (size_t d = rank; d-- > 0;) {
      element += spec.strides[d];
      if (++index[d] < spec.shape[d]) break;
      element -= spec.strides[d] * spec.shape[d];
      index[d] = 0;
    }
  }
}

// Filled by all cores from here on: drawing so many takes tens of milliseconds.
constexpr uint64_t kManyElements = uint64_t{1} << 22;

template <class T, class Store>
void fill_blocks(const TensorSpec& spec, std::byte* tensor,
                 const std::function<void(uint64_t, std::span<T>)>& values, Store store) {
  const uint64_t total = spec.elements();
  auto fill_part = [&](uint64_t begin, uint64_t end) {
    std::array<T, kBlockElements> block;
    std::array<std::byte, kBlockElements * sizeof(double)> packed;
    for (uint64_t first = begin; first < end; first += kBlockElements) {
      uint64_t count = std::min(kBlockElements, end - first);
      values(first, std::span(block.data(), count));
      store(spec.dtype, block.data(), count, packed.data());
      scatter(spec, tensor, first, count, packed.data());
    }
  };
  if (!spec.is_dense() || total < kManyElements) return fill_part(0, total);
  const uint64_t blocks = (total + kBlockElements - 1) / kBlockElements;
  run_on_all_cores([&](size_t part, size_t parts) {
    fill_part(blocks * part / parts * kBlockElements,
              std::min(blocks * (part + 1) / parts * kBlockElements, total));
  });
}

}  // namespace

void gather(const TensorSpec& spec, const std::byte* tensor, uint64_t first, uint64_t count,
            std::byte* packed) {
  const uint64_t size = bytes_of(spec.dtype);
  if (spec.is_dense()) {
    if (count > 0) std::memcpy(packed, tensor + first * size, count * size);
    return;
  }
  walk(spec, first, count, [&](uint64_t offset, uint64_t place) {
    std::memcpy(packed + place, tensor + offset, size);
  });
}

void load(const TensorSpec& spec, const std::byte* tensor, uint64_t first,
          std::span<double> values) {
  assert(values.size() <= kBlockElements);
  std::array<std::byte, kBlockElements * sizeof(double)> packed;
  gather(spec, tensor, first, values.size(), packed.data());
  load_block(spec.dtype, packed.data(), values.size(), values.data());
}

void scatter(const TensorSpec& spec, std::byte* tensor, uint64_t first, uint64_t count,
             const std::byte* packed) {
  const uint64_t size = bytes_of(spec.dtype);
  if (spec.is_dense()) {
    if (count > 0) std::memcpy(tensor + first * size, packed, count * size);
    return;
  }
  walk(spec, first, count, [&](uint64_t offset, uint64_t place) {
    std::memcpy(tensor + offset, packed + place, size);
  });
}

void fill(const TensorSpec& spec, std::byte* tensor, const Floats& values) {
  fill_blocks<double>(spec, tensor, values, store_block);
}

void fill(const TensorSpec& spec, std::byte* tensor, const Integers& values) {
  fill_blocks<int64_t>(spec, tensor, values, store_integers);
}

std::vector<int64_t> multi_index(const std::vector<int64_t>& shape, uint64_t flat) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    auto size = static_cast<uint64_t>(std::max<int64_t>(shape[d], 1));
    index[d] = static_cast<int64_t>(flat % size);
    flat /= size;
  }
  return index;
}

}  // namespace assay
