// The operations there are, one file each.
#pragma once

#include "op/operation.h"

namespace assay {

Operation matmul_operation();
Operation softmax_operation();

}  // namespace assay
