#include "model/sum_shape.h"

namespace assay {

SumShape sum_of(const ProductShape& product, int64_t batch) {
  const int64_t m = product.m, n = product.n, k = product.k;
  const bool ta = is_a_transposed(product.layout), tb = is_b_transposed(product.layout);
  SumShape sum;
  sum.dtype = product.dtype;
  sum.result = product.result;
  sum.a = ta ? std::vector{k, m} : std::vector{m, k};
  sum.b = tb ? std::vector{n, k} : std::vector{k, n};
  sum.over = {{.size = m, .in_a = ta ? 1 : k, .in_b = 0},
              {.size = n, .in_a = 0, .in_b = tb ? k : 1}};
  sum.summed = {{.size = k, .in_a = ta ? m : 1, .in_b = tb ? 1 : n}};
  if (batch == 0) return sum;
  sum.a.insert(sum.a.begin(), batch);
  sum.b.insert(sum.b.begin(), batch);
  sum.over.insert(sum.over.begin(), {.size = batch, .in_a = m * k, .in_b = k * n});
  return sum;
}

}  // namespace assay
