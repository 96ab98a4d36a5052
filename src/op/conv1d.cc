// A convolution over one dimension.
#include "op/all.h"
#include "op/convolution.h"
#include "op/product.h"

namespace assay {

Operation conv1d_operation() {
  return {.name = "conv1d",
          .title = "a convolution over one dimension",
          .kind = "convolution",
          .keys = {{"n", "images", {}, "1"},
                   {"c", "channels of an image", {}, "32"},
                   {"f", "filters, and so channels of a result", {}, "32"},
                   {"w", "width of an image", {}, "128"},
                   {"kw", "width of a filter", {}, "3"},
                   {"sw", "stride over the width", {}, "1", 1, true},
                   {"pw", "zeros on each side of the width", {}, "0", 0, true},
                   {"dw", "dilation of the width", {}, "1", 1, true},
                   {"groups",
                    "of channels, each with filters of its own; as many as channels: depthwise",
                    {},
                    "1",
                    1,
                    true},
                   floating_product_dtype_key(),
                   {"layout",
                    "of images and filters, and results as images",
                    {"nwc_wcf", "ncw_fcw"},
                    "nwc_wcf"}},
          .make = [](const OpArguments& arguments) { return make_convolution(arguments, "w"); },
          .check = [](const OpArguments& arguments) { return check_convolution(arguments, "w"); }};
}

}  // namespace assay
