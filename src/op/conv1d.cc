// A convolution over one dimension.
#include "op/all.h"
#include "op/convolution.h"

namespace assay {

Operation conv1d_operation() {
  return {.name = "conv1d",
          .title = "a convolution over one dimension",
          .kind = "convolution",
          .keys = convolution_keys("w", {"128"}, {"nwc_wcf", "ncw_fcw"}),
          .make = make_convolution,
          .write = write_convolution,
          .check = check_convolution};
}

}  // namespace assay
