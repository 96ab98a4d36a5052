// The elements of a tensor in their logical, row-major order, however they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/tensor.h"

namespace assay {

// So many elements are worked on at a time: a few arrays of doubles stay in the first-level cache.
inline constexpr uint64_t kBlockElements = 512;

// `first` is the logical index of the first element; the packed elements lie side by side.
void gather(const TensorSpec& spec, const std::byte* tensor, uint64_t first, uint64_t count,
            std::byte* packed);
// The same as doubles; at most kBlockElements of them.
void load(const TensorSpec& spec, const std::byte* tensor, uint64_t first,
          std::span<double> values);
void scatter(const TensorSpec& spec, std::byte* tensor, uint64_t first, uint64_t count,
             const std::byte* packed);

// Makes the values of elements [first, first + size): the same for the same index, however asked.
// May be called from several threads at once.
using Floats = std::function<void(uint64_t first, std::span<double> values)>;
using Integers = std::function<void(uint64_t first, std::span<int64_t> values)>;
void fill(const TensorSpec& spec, std::byte* tensor, const Floats& values);
void fill(const TensorSpec& spec, std::byte* tensor, const Integers& values);

// {2, 0, 17} of the flat index; empty for a scalar.
std::vector<int64_t> multi_index(const std::vector<int64_t>& shape, uint64_t flat);

}  // namespace assay
