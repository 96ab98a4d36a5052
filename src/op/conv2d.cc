// A convolution over two dimensions.
#include "op/all.h"
#include "op/convolution.h"

namespace assay {

Operation conv2d_operation() {
  return {.name = "conv2d",
          .title = "a convolution over two dimensions",
          .kind = "convolution",
          .keys = convolution_keys("hw", {"28", "h"}, {"nhwc_hwcf", "nchw_fchw"}),
          .make = make_convolution,
          .write = write_convolution,
          .check = check_convolution};
}

}  // namespace assay
