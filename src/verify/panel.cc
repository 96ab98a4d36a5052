#include "verify/panel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "verify/clones.h"
#include "verify/elements.h"
#include "verify/number.h"

namespace assay {
namespace {

constexpr uint64_t kPanelLanes = 8;
constexpr int64_t kTogether = 4;  // rows that are taken at once
template <class T>
struct LanesOf;
template <>
struct LanesOf<double> {
  using Type = double __attribute__((vector_size(kPanelLanes * sizeof(double))));
};
template <>
struct LanesOf<uint64_t> {
  using Type = uint64_t __attribute__((vector_size(kPanelLanes * sizeof(uint64_t))));
};

void load(Dtype dtype, const std::byte* from, uint64_t count, double* to) {
  load_block(dtype, from, count, to);
}
void load(Dtype dtype, const std::byte* from, uint64_t count, uint64_t* to) {
  if (is_floating(dtype)) {
    constexpr uint64_t kNoWholeNumber = 0x9e3779b97f4a7c15;
    double values[kBlockElements];
    load_block(dtype, from, count, values);
    for (uint64_t i = 0; i < count; ++i) {
      bool whole = std::fabs(values[i]) < 0x1p63 && values[i] == std::trunc(values[i]);
      to[i] = whole ? static_cast<uint64_t>(static_cast<int64_t>(values[i])) : kNoWholeNumber;
    }
    return;
  }
  load_integers(dtype, from, count, reinterpret_cast<int64_t*>(to));
}

// sums[p] += row . x_p over `count` elements, a multiple of 8.
template <class T, int kProbes>
ASSAY_INLINE void add_dots(const T* row, const T* x, uint64_t stride, uint64_t count, T* sums) {
  using Lanes = typename LanesOf<T>::Type;
  Lanes lanes[kProbes] = {};
  for (uint64_t i = 0; i < count; i += kPanelLanes) {
    Lanes element, factor;
    std::memcpy(&element, row + i, sizeof(Lanes));
    for (int p = 0; p < kProbes; ++p) {
      std::memcpy(&factor, x + static_cast<uint64_t>(p) * stride + i, sizeof(Lanes));
      lanes[p] += element * factor;
    }
  }
  for (int p = 0; p < kProbes; ++p)
    sums[p] += ((lanes[p][0] + lanes[p][4]) + (lanes[p][1] + lanes[p][5])) +
               ((lanes[p][2] + lanes[p][6]) + (lanes[p][3] + lanes[p][7]));
}

ASSAY_CLONES void dots(const double* row, const double* x, uint64_t stride, uint64_t count,
                       double* sums) {
  add_dots<double, kNormalProbes>(row, x, stride, count, sums);
}
ASSAY_CLONES void dots(const uint64_t* row, const uint64_t* x, uint64_t stride, uint64_t count,
                       uint64_t* sums) {
  add_dots<uint64_t, kWholeProbes>(row, x, stride, count, sums);
}

// y_p[i] += sum over the rows r of row_r[i] * factors[r][p].
template <class T, int kProbes>
ASSAY_INLINE void add_outer(const T* rows, const T* factors, uint64_t count, T* y,
                            uint64_t stride) {
  using Lanes = typename LanesOf<T>::Type;
  for (uint64_t i = 0; i < count; i += kPanelLanes) {
    Lanes element[kTogether];
    for (int64_t r = 0; r < kTogether; ++r)
      std::memcpy(&element[r], rows + static_cast<uint64_t>(r) * kBlockElements + i, sizeof(Lanes));
    for (int p = 0; p < kProbes; ++p) {
      Lanes sum;
      T* to = y + static_cast<uint64_t>(p) * stride + i;
      std::memcpy(&sum, to, sizeof(Lanes));
      for (int64_t r = 0; r < kTogether; ++r) sum += element[r] * factors[r * kProbes + p];
      std::memcpy(to, &sum, sizeof(Lanes));
    }
  }
}

ASSAY_CLONES void outer(const double* rows, const double* factors, uint64_t count, double* y,
                        uint64_t stride) {
  add_outer<double, kNormalProbes>(rows, factors, count, y, stride);
}
ASSAY_CLONES void outer(const uint64_t* rows, const uint64_t* factors, uint64_t count, uint64_t* y,
                        uint64_t stride) {
  add_outer<uint64_t, kWholeProbes>(rows, factors, count, y, stride);
}

uint64_t padded(uint64_t count) { return (count + kPanelLanes - 1) / kPanelLanes * kPanelLanes; }

// Loads at most a block, and pads with zeros to whole vectors.
template <class T>
void load_padded(const StoredMatrix& matrix, int64_t row, uint64_t column, uint64_t count, T* to) {
  if (matrix.no_row != nullptr && (*matrix.no_row)[static_cast<size_t>(row)] != 0) {
    std::fill_n(to, padded(count), T{});
    return;
  }
  uint64_t at = static_cast<uint64_t>(row) * static_cast<uint64_t>(matrix.columns) + column;
  load(matrix.dtype, matrix.data + at * bytes_of(matrix.dtype), count, to);
  if (matrix.no_column != nullptr)
    for (uint64_t i = 0; i < count; ++i)
      if ((*matrix.no_column)[column + i] != 0) to[i] = T{};
  std::fill(to + count, to + padded(count), T{});
}

// Vectors with room behind each for whole blocks, zeros there.
template <class T, int kProbes>
std::vector<T> with_room(const Panel<T>& panel, uint64_t room) {
  std::vector<T> wide(room * kProbes);
  for (uint64_t p = 0; p < kProbes; ++p)
    std::copy_n(panel.values.begin() + static_cast<int64_t>(p) * panel.length, panel.length,
                wide.begin() + static_cast<int64_t>(p * room));
  return wide;
}

template <class T, int kProbes>
void plain_rows(const StoredMatrix& matrix, const std::vector<T>& x, uint64_t room, int64_t first,
                int64_t last, Panel<T>& y) {
  alignas(64) T block[kBlockElements];
  const auto columns = static_cast<uint64_t>(matrix.columns);
  for (int64_t row = first; row < last; ++row) {
    T sums[kProbes] = {};
    for (uint64_t column = 0; column < columns; column += kBlockElements) {
      uint64_t count = std::min(kBlockElements, columns - column);
      load_padded(matrix, row, column, count, block);
      dots(block, x.data() + column, room, padded(count), sums);
    }
    for (int p = 0; p < kProbes; ++p) y.values[static_cast<size_t>(p * y.length + row)] = sums[p];
  }
}

template <class T, int kProbes>
void transposed_columns(const StoredMatrix& matrix, const Panel<T>& x, uint64_t first,
                        uint64_t last, Panel<T>& y) {
  alignas(64) T blocks[kTogether * kBlockElements];
  const uint64_t width = padded(last - first);
  std::vector<T> sums(width * kProbes);
  for (int64_t row = 0; row < matrix.rows; row += kTogether) {
    T factors[kTogether * kProbes] = {};
    int64_t together = std::min(kTogether, matrix.rows - row);
    for (int64_t r = 0; r < together; ++r)
      for (int p = 0; p < kProbes; ++p)
        factors[r * kProbes + p] = x.values[static_cast<size_t>(p * x.length + row + r)];
    for (uint64_t column = first; column < last; column += kBlockElements) {
      uint64_t count = std::min(kBlockElements, last - column);
      // Rows that are not there have factor 0, and must not hold a NaN.
      for (int64_t r = 0; r < kTogether; ++r) {
        T* to = blocks + static_cast<uint64_t>(r) * kBlockElements;
        if (r < together)
          load_padded(matrix, row + r, column, count, to);
        else
          std::fill_n(to, padded(count), T{});
      }
      outer(blocks, factors, padded(count), sums.data() + (column - first), width);
    }
  }
  for (uint64_t p = 0; p < kProbes; ++p)
    std::copy_n(
        sums.begin() + static_cast<int64_t>(p * width), last - first,
        y.values.begin() + static_cast<int64_t>(p) * y.length + static_cast<int64_t>(first));
}

// Splits [0, count) into parts of whole steps, one thread each.
template <class Work>
void in_parallel(int64_t count, int64_t step, int threads, Work work) {
  int64_t steps = (count + step - 1) / step;
  int64_t parts = std::clamp<int64_t>(threads, 1, std::max<int64_t>(steps, 1));
  std::vector<std::jthread> helpers;
  for (int64_t part = 1; part < parts; ++part)
    helpers.emplace_back([=] {
      work(std::min(count, steps * part / parts * step),
           std::min(count, steps * (part + 1) / parts * step));
    });
  work(0, std::min(count, steps / parts * step));
}

template <class T, int kProbes>
Panel<T> times_any(const StoredMatrix& matrix, bool transposed, const Panel<T>& panel,
                   int threads) {
  Panel<T> y;
  y.length = transposed ? matrix.columns : matrix.rows;
  y.values.resize(static_cast<size_t>(y.length) * kProbes);
  if (transposed) {
    in_parallel(matrix.columns, kBlockElements, threads, [&](int64_t first, int64_t last) {
      if (first < last)
        transposed_columns<T, kProbes>(matrix, panel, static_cast<uint64_t>(first),
                                       static_cast<uint64_t>(last), y);
    });
  } else {
    uint64_t room = padded(static_cast<uint64_t>(panel.length));
    std::vector<T> x = with_room<T, kProbes>(panel, room);
    in_parallel(matrix.rows, 1, threads, [&](int64_t first, int64_t last) {
      plain_rows<T, kProbes>(matrix, x, room, first, last, y);
    });
  }
  return y;
}

}  // namespace

Panel<double> times(const StoredMatrix& matrix, bool transposed, const Panel<double>& panel,
                    int threads) {
  return times_any<double, kNormalProbes>(matrix, transposed, panel, threads);
}

Panel<uint64_t> times(const StoredMatrix& matrix, bool transposed, const Panel<uint64_t>& panel,
                      int threads) {
  return times_any<uint64_t, kWholeProbes>(matrix, transposed, panel, threads);
}

}  // namespace assay
