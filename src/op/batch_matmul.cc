// Products of matrices that lie one behind the other.
#include "op/all.h"
#include "op/product.h"

namespace assay {

Operation batch_matmul_operation() {
  return {.name = "batch_matmul",
          .title = "C = A B, of several A and B",
          .kind = "product",
          .keys = {{"b", "products", {}, "8"},
                   {"m", "rows of each A and C", {}, "128"},
                   {"n", "columns of each B and C", {}, "128"},
                   {"k", "columns of each A, rows of each B", {}, "128"},
                   product_dtype_key(),
                   product_layout_key(),
                   accumulate_key()},
          .make = make_product,
          .write = write_product,
          .classic_name =
              [](const OpArguments& arguments) {
                return classic_product_name("batch_matmul", arguments);
              },
          .factors = {{0, 1}}};
}

}  // namespace assay
