// A convolution over two dimensions.
#include "op/all.h"
#include "op/convolution.h"
#include "op/product.h"

namespace assay {

Operation conv2d_operation() {
  return {.name = "conv2d",
          .title = "a convolution over two dimensions",
          .kind = "convolution",
          .keys = {{"n", "images", {}, "1"},
                   {"c", "channels of an image", {}, "32"},
                   {"f", "filters, and so channels of a result", {}, "32"},
                   {"h", "height of an image", {}, "28"},
                   {"w", "width of an image", {}, "h"},
                   {"kh", "height of a filter", {}, "3"},
                   {"kw", "width of a filter", {}, "kh"},
                   {"sh", "stride over the height", {}, "1", 1, true},
                   {"sw", "stride over the width", {}, "sh", 1, true},
                   {"ph", "zeros on each side of the height", {}, "0", 0, true},
                   {"pw", "zeros on each side of the width", {}, "ph", 0, true},
                   {"dh", "dilation of the height", {}, "1", 1, true},
                   {"dw", "dilation of the width", {}, "dh", 1, true},
                   {"groups",
                    "of channels, each with filters of its own; as many as channels: depthwise",
                    {},
                    "1",
                    1,
                    true},
                   floating_product_dtype_key(),
                   {"layout",
                    "of images and filters, and results as images",
                    {"nhwc_hwcf", "nchw_fchw"},
                    "nhwc_hwcf"}},
          .make = [](const OpArguments& arguments) { return make_convolution(arguments, "hw"); },
          .check = [](const OpArguments& arguments) { return check_convolution(arguments, "hw"); }};
}

}  // namespace assay
