// Weights that a model is loaded with, in the place of those it draws.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace assay {

struct LoadedWeights {
  std::string folder;              // absolute
  std::vector<std::string> files;  // names of safetensors files in it, sorted
  std::string sha256;              // of all of them
  std::vector<std::string> reads;  // folders that they lie in: this one, and where links lead to
};

// As workers take it: python/assay_worker/loaded_weights.py.
inline Json to_json(const LoadedWeights& weights) {
  return {{"folder", weights.folder}, {"files", weights.files}};
}

}  // namespace assay
