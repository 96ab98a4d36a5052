// What kinds of matrix products have in common.
#pragma once

#include <string>

#include "op/operation.h"

namespace assay {

// "f16*f16->f32": factors and result. A single type is that of both, but i8's results are i32.
struct ProductTypes {
  Dtype factor, result;
};
ProductTypes product_types(const OpArguments& arguments);

OpKey product_dtype_key();
OpKey floating_product_dtype_key();  // without i8
OpKey product_layout_key();
OpKey accumulate_key();

// How the factors of a product lie in memory: row by row where no key says otherwise.
Layout layout_of(const OpArguments& arguments);

// A product in torch: of `a` and `b`, which are what is written there.
std::string torch_product(ProductTypes types, const std::string& a, const std::string& b);

// C = A B of the keys m, n, k, dtype and layout, with b products, in sums of `slices`, and added to
// a third input, where there are such keys.
OpProgram make_product(const OpArguments& arguments);

// Its program.
std::string write_product(const OpArguments& arguments, const OpProgram& program,
                          const DynamicSizes& dynamic);

// k is a multiple of `slices`.
Status check_slices(const OpArguments& arguments);

// "f16t", as IREE's dispatch profiler wrote it: t where rows lie one after the other, n where the
// matrix is transposed.
std::string classic_tensor(Dtype dtype, bool is_transposed);
// "matmul_256x512x128_f16t_f16t_f16t", of any such kind.
std::string classic_product_name(std::string_view kind, const OpArguments& arguments);

}  // namespace assay
