// The sources there are, one file each.
#pragma once

#include "workload/source.h"

namespace assay {

Source file_source();
Source model_source();
Source operation_source();
Source triton_source();

}  // namespace assay
