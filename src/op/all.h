// The operations there are, one file each.
#pragma once

#include "op/operation.h"

namespace assay {

Operation matmul_operation();
Operation batch_matmul_operation();
Operation matmul_splitk_operation();
Operation matvec_operation();
Operation conv1d_operation();
Operation conv2d_operation();
Operation conv3d_operation();
Operation pooling_operation();
Operation attention_operation();
Operation softmax_operation();
Operation layernorm_operation();
Operation rmsnorm_operation();
Operation reduction_operation();
Operation scan_operation();
Operation elementwise_operation();
Operation transpose_operation();
Operation gather_operation();
Operation scatter_operation();
Operation matmul_bias_operation();
Operation conv2d_bias_operation();
Operation norm_matmul_operation();

}  // namespace assay
