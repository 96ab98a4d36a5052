// A convolution over three dimensions.
#include "op/all.h"
#include "op/convolution.h"
#include "op/product.h"

namespace assay {

Operation conv3d_operation() {
  return {
      .name = "conv3d",
      .title = "a convolution over three dimensions",
      .kind = "convolution",
      .keys = {{"n", "images", {}, "1"},
               {"c", "channels of an image", {}, "32"},
               {"f", "filters, and so channels of a result", {}, "32"},
               {"d", "depth of an image", {}, "8"},
               {"h", "height of an image", {}, "16"},
               {"w", "width of an image", {}, "h"},
               {"kd", "depth of a filter", {}, "3"},
               {"kh", "height of a filter", {}, "kd"},
               {"kw", "width of a filter", {}, "kd"},
               {"sd", "stride over the depth", {}, "1", 1, true},
               {"sh", "stride over the height", {}, "sd", 1, true},
               {"sw", "stride over the width", {}, "sd", 1, true},
               {"pd", "zeros on each side of the depth", {}, "0", 0, true},
               {"ph", "zeros on each side of the height", {}, "pd", 0, true},
               {"pw", "zeros on each side of the width", {}, "pd", 0, true},
               {"dd", "dilation of the depth", {}, "1", 1, true},
               {"dh", "dilation of the height", {}, "dd", 1, true},
               {"dw", "dilation of the width", {}, "dd", 1, true},
               {"groups",
                "of channels, each with filters of its own; as many as channels: depthwise",
                {},
                "1",
                1,
                true},
               floating_product_dtype_key(),
               {"layout",
                "of images and filters, and results as images",
                {"ndhwc_dhwcf", "ncdhw_fcdhw"},
                "ndhwc_dhwcf"}},
      .make = [](const OpArguments& arguments) { return make_convolution(arguments, "dhw"); },
      .check = [](const OpArguments& arguments) { return check_convolution(arguments, "dhw"); }};
}

}  // namespace assay
