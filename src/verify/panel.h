// A matrix of any type times a few vectors, as fast as the matrix can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/tensor.h"

namespace assay {

inline constexpr int kNormalProbes = 4;
inline constexpr int kWholeProbes = 2;

// As it lies in memory, row by row.
struct StoredMatrix {
  const std::byte* data = nullptr;
  Dtype dtype = Dtype::f32;
  int64_t rows = 0, columns = 0;
  // Where set and not 0: that row or column is taken as zeros, whatever it holds.
  const std::vector<uint8_t>* no_row = nullptr;
  const std::vector<uint8_t>* no_column = nullptr;
};

// Vectors one after another: vector p, element i is values[p * length + i].
template <class T>
struct Panel {
  int64_t length = 0;
  std::vector<T> values;
};

// M X, or M^T X. In double for floating types; modulo 2^64 for whole numbers, which may be those of
// a floating type. An element that is none then counts as some number that nobody expects.
Panel<double> times(const StoredMatrix& matrix, bool transposed, const Panel<double>& panel,
                    int threads);
Panel<uint64_t> times(const StoredMatrix& matrix, bool transposed, const Panel<uint64_t>& panel,
                      int threads);

}  // namespace assay
