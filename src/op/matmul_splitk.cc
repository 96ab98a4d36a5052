// C = A B, where k is cut into slices: a product of each, side by side, and their sum. For products
// of which k is much larger than m and n.
#include "op/all.h"
#include "op/product.h"

namespace assay {

Operation matmul_splitk_operation() {
  return {.name = "matmul_splitk",
          .title = "C = A B, as a sum of products of slices of k",
          .kind = "product",
          .keys = {{"m", "rows of A and C", {}, "128"},
                   {"n", "columns of B and C", {}, "128"},
                   {"k", "columns of A, rows of B", {}, "4096"},
                   {"slices", "how many; k is a multiple", {}, "4"},
                   product_dtype_key(),
                   product_layout_key()},
          .make = make_product,
          .write = write_product,
          .check = check_slices,
          .classic_name =
              [](const OpArguments& arguments) {
                return classic_product_name("matmul_splitk", arguments);
              },
          .factors = {{0, 1}}};
}

}  // namespace assay
