// A convolution over three dimensions.
#include "op/all.h"
#include "op/convolution.h"

namespace assay {

Operation conv3d_operation() {
  return {.name = "conv3d",
          .title = "a convolution over three dimensions",
          .kind = "convolution",
          .keys = convolution_keys("dhw", {"8", "16", "h"}, {"ndhwc_dhwcf", "ncdhw_fcdhw"}),
          .make = make_convolution,
          .write = write_convolution,
          .check = check_convolution};
}

}  // namespace assay
