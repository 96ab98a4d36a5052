#include "matmul.h"

extern "C" int assay_kernel(const assay_call* call) { return run<Plain>(call); }
