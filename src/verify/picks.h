// Indices that an operation gives which picks elements: another index is as good where it points to
// an element as large, if the order of equal elements is open, as torch.topk and torch.sort leave
// it, or if a rounding may have decided which is the larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/tensor.h"

namespace assay {

// Of a result that is such indices (python/assay_worker/open_order.py says which are).
struct Picks {
  uint64_t call = 0;       // which of the problem's calls of such operations
  TensorSpec key;          // what they point into: f64, dense
  size_t dim = 0;          // along this dimension of it
  bool each_once = false;  // no index comes twice, as in sort and topk
  bool first = false;      // of equal elements the first, as argmax gives it
};

// Whether indices of so many elements can be picks of such a key.
bool fits(const Picks& picks, uint64_t elements);

struct PickFigures {
  uint64_t wrong = 0;  // outside, a second time, or of an element that is not as large
  uint64_t moved = 0;  // not the exact index, and as good
  std::optional<uint64_t> first_wrong;
};

// What picks of one round point into.
struct PickKey {
  const Picks* picks = nullptr;
  const double* values = nullptr;  // as picks->key says
  // It has no roundings. Else two elements that are 1 apart are equal.
  bool is_exact = false;
};

// Dense arrays of whole numbers of these types. NaN is as large as NaN.
PickFigures judge_picks(const PickKey& key, Dtype dtype, const std::byte* indices,
                        Dtype exact_dtype, const std::byte* exact, uint64_t elements);

}  // namespace assay
