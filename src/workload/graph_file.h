// `PATH.onnx`, `PATH.pt2[batch=1,seq=128]`: a graph in a file, with sizes for dimensions that have
// names: in ONNX, or as torch.export saves it. python/assay_worker/graph_file.py makes a problem of
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/source.h"

namespace assay {

// The path of the file that is named; nothing where none is.
std::optional<std::string> graph_file_of(std::string_view given);
// Whether what it holds has the names that a model's weights have: weights of a hub fit it, then.
bool has_names_of_weights(std::string_view given);

}  // namespace assay
