// What is known of a matrix product C = A B without its values.
#pragma once

#include <cstdint>

#include "base/words.h"
#include "model/tensor.h"

namespace assay {

// How A and B lie in memory, row by row: n: as they are, m x k and k x n; t: transposed.
enum class Layout { nn, nt, tn, tt };
inline constexpr Word<Layout> kLayoutWords[] = {
    {Layout::nn, "nn"}, {Layout::nt, "nt"}, {Layout::tn, "tn"}, {Layout::tt, "tt"}};

inline bool is_a_transposed(Layout layout) { return layout == Layout::tn || layout == Layout::tt; }
inline bool is_b_transposed(Layout layout) { return layout == Layout::nt || layout == Layout::tt; }

struct ProductShape {
  int64_t m = 0, n = 0, k = 0;  // none is 0
  Layout layout = Layout::nn;
  Dtype dtype = Dtype::f32;   // of A and B
  Dtype result = Dtype::f32;  // of C; both floating, or both whole numbers

  bool operator==(const ProductShape&) const = default;
};

}  // namespace assay
