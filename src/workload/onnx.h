// `PATH.onnx`, `PATH.onnx[batch=1,seq=128]`: a graph in ONNX, with sizes for dimensions that have
// names. python/assay_worker/onnx_file.py makes a problem of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/source.h"

namespace assay {

// The path of the file that is named; nothing where none is.
std::optional<std::string> onnx_file_of(std::string_view given);

}  // namespace assay
