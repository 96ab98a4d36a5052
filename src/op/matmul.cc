// C = A B, or C = C0 + A B.
#include "op/all.h"
#include "op/product.h"

namespace assay {

Operation matmul_operation() {
  return {
      .name = "matmul",
      .title = "C = A B",
      .kind = "product",
      .keys = {{"m", "rows of A and C", {}, "256"},
               {"n", "columns of B and C", {}, "256"},
               {"k", "columns of A, rows of B", {}, "256"},
               product_dtype_key(),
               product_layout_key(),
               accumulate_key()},
      .make = make_product,
      .write = write_product,
      .classic_name =
          [](const OpArguments& arguments) { return classic_product_name("matmul", arguments); },
      .factors = {{0, 1}}};
}

}  // namespace assay
